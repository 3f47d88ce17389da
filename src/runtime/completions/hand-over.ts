/** Hands what one side makes to another side that takes it at its own pace. */
interface HandOver<Value> {
  /** Resolves once the value is taken and the next one is wanted, or nobody takes any more. */
  put(value: Value): Promise<void>
  /** Nothing more comes. */
  end(): void
  /** Nothing more comes; what was put before is still taken, then the taker has the error. */
  fail(error: unknown): void
  /** What is put, in order. A taker that leaves sets every `put` free. */
  taken(): AsyncGenerator<Value>
}

/** One maker and one taker: what waits between them is what the maker puts without waiting. */
export function createHandOver<Value>(): HandOver<Value> {
  const waiting: { readonly value: Value; readonly taken: () => void }[] = []
  let over: { readonly error?: unknown } | undefined
  let left = false
  let wake = () => {}
  const close = (how: { readonly error?: unknown }) => {
    over ??= how
    wake()
  }
  return {
    put(value) {
      if (left) return Promise.resolve()
      return new Promise((taken) => {
        waiting.push({ value, taken })
        wake()
      })
    },
    end: () => close({}),
    fail: (error) => close({ error }),
    async *taken() {
      try {
        for (;;) {
          const next = waiting.shift()
          if (next) {
            try {
              yield next.value
            } finally {
              next.taken()
            }
          } else if (over) {
            if ('error' in over) throw over.error
            return
          } else {
            await new Promise<void>((resolve) => (wake = resolve))
          }
        }
      } finally {
        left = true
        for (const { taken } of waiting.splice(0)) taken()
      }
    },
  }
}
