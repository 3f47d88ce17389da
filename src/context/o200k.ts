import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { TokenCounter } from './token-counter.ts'

/** Exact tokenizers take many seconds over a long run of one character: counting in slices costs 0.4 % too many instead. */
const SLICE = 1024

/**
 * The tokenizer of OpenAI's newer models. Its table takes tens of megabytes of memory, so it has an entry point of its own
 * (`foreword/context/o200k`). Counts everything that is sent.
 */
export const o200k: TokenCounter = {
  id: 'o200k',
  version: '5',
  text(text) {
    let tokens = 0
    for (const count of slices(text)) tokens += count
    return tokens
  },
  slices,
  perMessage: 4,
  images: true,
}

function* slices(text: string): Generator<number> {
  for (let start = 0; start < text.length; start += SLICE) {
    yield countTokens(text.slice(start, start + SLICE), { disallowedSpecial: new Set() })
  }
}
