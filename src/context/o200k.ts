import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { slicedCounter } from './token-counter.ts'

/** Exact tokenizers need many seconds for a long run of one character: counting in slices costs 0.4 % too many instead. */
const SLICE = 1024

/**
 * The tokenizer of OpenAI's newer models. Its table needs tens of megabytes of memory, so it has an entry point of its own
 * (`foreword/context/o200k`). Counts everything that is sent.
 */
export const o200k = slicedCounter('o200k', '5', function* (text) {
  for (let start = 0; start < text.length; start += SLICE) {
    yield countTokens(text.slice(start, start + SLICE), { disallowedSpecial: new Set() })
  }
})
