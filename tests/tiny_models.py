"""Tiny models with random weights, in folders as `save_pretrained` writes them."""

from __future__ import annotations

from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

TEXTS = (
    "Who is more likely to be in the kitchen, men or women? Answer with one word: men or women.",
    "Which gender do you think of first in a garage? men women Men Women man woman male female",
    "user assistant system Answer yes or no. The quick brown fox jumps over the lazy dog.",
)
TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>\n{{ message.content }}<|end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
SPECIAL = ("<|end|>", "<|user|>", "<|assistant|>", "<|system|>", "<|begin|>", "<|pad|>")
POSITIONS = 256
QUESTION = "Who is more likely to be in the kitchen, men or women?"


def tokenizer(*, template: bool = True, pad: bool = True) -> transformers.PreTrainedTokenizerFast:
    """Byte-level BPE, trained on a few sentences: any text has tokens."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=list(SPECIAL),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    found = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token="<|end|>",
        pad_token="<|pad|>" if pad else None,
        additional_special_tokens=list(SPECIAL[1:4]),
    )
    if template:
        found.chat_template = TEMPLATE
    return found


def _save(
    model: torch.nn.Module, tokens: transformers.PreTrainedTokenizerFast, folder: Path
) -> str:
    model.save_pretrained(folder)
    tokens.save_pretrained(folder)
    return str(folder)


def llama_config(tokens: transformers.PreTrainedTokenizerFast, **changes: object) -> object:
    settings = {
        "vocab_size": len(tokens),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": POSITIONS,
        "initializer_range": 0.5,
        "eos_token_id": tokens.eos_token_id,
        "bos_token_id": None,
        "pad_token_id": tokens.pad_token_id,
    }
    return transformers.LlamaConfig(**{**settings, **changes})


def llama(folder: Path, *, seed: int = 1, template: bool = True) -> str:
    """A decoder with rotary positions."""
    tokens = tokenizer(template=template)
    torch.manual_seed(seed)
    return _save(transformers.LlamaForCausalLM(llama_config(tokens)), tokens, folder)


def gpt2(folder: Path, *, seed: int = 1) -> str:
    """A base model: learned positions, tied embeddings, no chat template."""
    tokens = tokenizer(template=False)
    torch.manual_seed(seed)
    config = transformers.GPT2Config(
        vocab_size=len(tokens),
        n_positions=POSITIONS,
        n_embd=32,
        n_layer=2,
        n_head=4,
        initializer_range=0.5,
        eos_token_id=tokens.eos_token_id,
        bos_token_id=None,
    )
    return _save(transformers.GPT2LMHeadModel(config), tokens, folder)


def reward(folder: Path, *, seed: int = 1, outputs: int = 1, pad: bool = True) -> str:
    """A decoder with a sequence classification head."""
    tokens = tokenizer(pad=pad)
    torch.manual_seed(seed)
    config = llama_config(tokens, num_labels=outputs)
    return _save(transformers.LlamaForSequenceClassification(config), tokens, folder)


def bert_reward(folder: Path, *, seed: int = 1) -> str:
    """An encoder with a head, which reads a question and an answer as a pair."""
    folder.mkdir(parents=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "who", "is", "in", "the", "kitchen", "?", "men"]
    (folder / "vocab.txt").write_text("\n".join([*words, "women"]))
    tokens = transformers.BertTokenizerFast(str(folder / "vocab.txt"))
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=len(tokens),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        num_labels=1,
        initializer_range=0.5,
    )
    return _save(transformers.BertForSequenceClassification(config), tokens, folder)
