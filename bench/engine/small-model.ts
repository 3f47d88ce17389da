/** What a vocabulary of byte pairs consists of, as the files of GPT-2 have it. */
export interface Vocabulary {
  /** In the order of their ids. */
  readonly tokens: readonly string[]
  /** Pairs that are joined, the most frequent first. */
  readonly merges: readonly string[]
}

const WIDTH = 64
const HEADS = 2
const LAYERS = 2
const INNER = 128
const ALIGNMENT = 32

/** Ids of the types of values in a GGUF file. */
const UINT32 = 4
const INT32 = 5
const FLOAT32 = 6
const STRING = 8
const ARRAY = 9

/** Types of tokens of llama.cpp. */
const NORMAL = 1
const CONTROL = 3

/**
 * A model of two layers with chance weights, as a GGUF file (version 3 of its specification). What it says is noise. It
 * splits text as GPT-2 does and keeps a cache as any model of a real engine, which is all that is measured with it.
 */
export function smallModel({ tokens, merges }: Vocabulary, contextTokens: number): Buffer {
  const facts = [
    value('general.architecture', STRING, string('llama')),
    value('llama.context_length', UINT32, uint32(contextTokens)),
    value('llama.embedding_length', UINT32, uint32(WIDTH)),
    value('llama.block_count', UINT32, uint32(LAYERS)),
    value('llama.feed_forward_length', UINT32, uint32(INNER)),
    value('llama.rope.dimension_count', UINT32, uint32(WIDTH / HEADS)),
    value('llama.attention.head_count', UINT32, uint32(HEADS)),
    value('llama.attention.layer_norm_rms_epsilon', FLOAT32, float32([1e-5])),
    value('tokenizer.ggml.model', STRING, string('gpt2')),
    value('tokenizer.ggml.pre', STRING, string('gpt-2')),
    value('tokenizer.ggml.tokens', ARRAY, array(STRING, tokens.map(string))),
    value(
      'tokenizer.ggml.token_type',
      ARRAY,
      array(
        INT32,
        tokens.map((_, id) => uint32(id === tokens.length - 1 ? CONTROL : NORMAL)),
      ),
    ),
    value('tokenizer.ggml.merges', ARRAY, array(STRING, merges.map(string))),
    value('tokenizer.ggml.bos_token_id', UINT32, uint32(tokens.length - 1)),
    value('tokenizer.ggml.eos_token_id', UINT32, uint32(tokens.length - 1)),
  ]
  const tensors = [
    tensor('token_embd.weight', [WIDTH, tokens.length]),
    tensor('output_norm.weight', [WIDTH]),
    ...Array.from({ length: LAYERS }, (_, layer) => layerTensors(`blk.${layer}`)).flat(),
  ]
  let offset = 0
  const places = tensors.map(({ name, shape, data }) => {
    const place = [string(name), uint32(shape.length), ...shape.map(uint64), uint32(0), uint64(offset)]
    offset += padded(data.length)
    return Buffer.concat(place)
  })
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    uint32(3),
    uint64(tensors.length),
    uint64(facts.length),
    ...facts,
    ...places,
  ])
  return Buffer.concat([head, blank(head.length), ...tensors.flatMap(({ data }) => [data, blank(data.length)])])
}

interface Tensor {
  readonly name: string
  readonly shape: readonly number[]
  readonly data: Buffer
}

function layerTensors(block: string): readonly Tensor[] {
  return [
    tensor(`${block}.attn_norm.weight`, [WIDTH]),
    tensor(`${block}.ffn_norm.weight`, [WIDTH]),
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) => tensor(`${block}.${name}.weight`, [WIDTH, WIDTH])),
    ...['ffn_gate', 'ffn_up'].map((name) => tensor(`${block}.${name}.weight`, [WIDTH, INNER])),
    tensor(`${block}.ffn_down.weight`, [INNER, WIDTH]),
  ]
}

/** The same numbers in every run, between -0.1 and 0.1. Norms are one. */
function tensor(name: string, shape: readonly number[]): Tensor {
  const size = shape.reduce((product, side) => product * side, 1)
  const weights = new Float32Array(size).fill(1)
  let state = size
  if (shape.length > 1)
    for (let at = 0; at < size; at += 1) {
      state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
      weights[at] = (state / 4_294_967_296 - 0.5) / 5
    }
  return { name, shape, data: Buffer.from(weights.buffer) }
}

function value(key: string, type: number, bytes: Buffer): Buffer {
  return Buffer.concat([string(key), uint32(type), bytes])
}

function array(type: number, items: readonly Buffer[]): Buffer {
  return Buffer.concat([uint32(type), uint64(items.length), ...items])
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([uint64(bytes.length), bytes])
}

function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(number)
  return bytes
}

function uint64(number: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(number))
  return bytes
}

function float32(numbers: readonly number[]): Buffer {
  return Buffer.from(new Float32Array(numbers).buffer)
}

function padded(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT
}

function blank(length: number): Buffer {
  return Buffer.alloc(padded(length) - length)
}
