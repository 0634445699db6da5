"""The paper's models; importing this makes AutoModelForSeq2SeqLM know the LSTM."""

from transformers import AutoConfig, AutoModelForSeq2SeqLM

from nl2code.models.build import ModelConfig, build_model, pretrained_name
from nl2code.models.lstm import LSTMForConditionalGeneration
from nl2code.models.lstm_config import LSTMSeq2SeqConfig

AutoConfig.register(LSTMSeq2SeqConfig.model_type, LSTMSeq2SeqConfig)
AutoModelForSeq2SeqLM.register(LSTMSeq2SeqConfig, LSTMForConditionalGeneration)
# With these `save_pretrained` puts the code beside the weights, for those who have no `nl2code`.
LSTMSeq2SeqConfig.register_for_auto_class()  # type: ignore[no-untyped-call]
LSTMForConditionalGeneration.register_for_auto_class(  # type: ignore[no-untyped-call]
    "AutoModelForSeq2SeqLM"
)

__all__ = [
    "LSTMForConditionalGeneration",
    "LSTMSeq2SeqConfig",
    "ModelConfig",
    "build_model",
    "pretrained_name",
]
