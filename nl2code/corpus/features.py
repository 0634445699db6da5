"""The columns of the dataset, as `datasets` knows them."""

from datasets import Features

from nl2code.corpus.schema import SCHEMA

FEATURES = Features.from_arrow_schema(SCHEMA)
