interface HandOver<Value> {
  /** Resolves once the value is read and the next one is wanted, or once the consumer has left. */
  put(value: Value): Promise<void>
  /** Nothing more comes. */
  end(): void
  /** Nothing more comes; what was put before is still read, then the consumer gets the error. */
  fail(error: unknown): void
  /** What is put, in order. When the consumer leaves, every `put` resolves. */
  taken(): AsyncGenerator<Value>
}

/** One producer and one consumer: only what the producer puts without waiting is buffered. */
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
