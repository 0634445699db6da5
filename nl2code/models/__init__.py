"""The models; importing this makes AutoModelForSeq2SeqLM know those written here."""

from transformers import AutoConfig, AutoModelForSeq2SeqLM

from nl2code.models.build import ModelConfig, build_model, pretrained_name
from nl2code.models.copy_transformer import CopyTransformerForConditionalGeneration
from nl2code.models.copy_transformer_config import CopyTransformerConfig
from nl2code.models.gru import GRUForConditionalGeneration
from nl2code.models.gru_config import GRUSeq2SeqConfig
from nl2code.models.lstm import LSTMForConditionalGeneration
from nl2code.models.lstm_config import LSTMSeq2SeqConfig

for _config, _model in (
    (LSTMSeq2SeqConfig, LSTMForConditionalGeneration),
    (CopyTransformerConfig, CopyTransformerForConditionalGeneration),
    (GRUSeq2SeqConfig, GRUForConditionalGeneration),
):
    AutoConfig.register(_config.model_type, _config)
    AutoModelForSeq2SeqLM.register(_config, _model)
    # Then `save_pretrained` puts the code beside the weights, for those who have no `nl2code`.
    _config.register_for_auto_class()  # type: ignore[no-untyped-call]
    _model.register_for_auto_class("AutoModelForSeq2SeqLM")  # type: ignore[no-untyped-call]

__all__ = [
    "CopyTransformerConfig",
    "CopyTransformerForConditionalGeneration",
    "GRUForConditionalGeneration",
    "GRUSeq2SeqConfig",
    "LSTMForConditionalGeneration",
    "LSTMSeq2SeqConfig",
    "ModelConfig",
    "build_model",
    "pretrained_name",
]
