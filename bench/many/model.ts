import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A call that arrived at the model, by the word of its message. Times are of `process.hrtime`, ms. */
interface Call {
  readonly word: string
  readonly arrived: number
}

/**
 * A model server in a thread of its own, which answers twelve words at once. `calls` resolves with the time at which the call of a word
 * arrived, `ended` once it was answered.
 */
export async function startModel() {
  const thread = new Worker(new URL('model-thread.ts', import.meta.url))
  const [port] = (await once(thread, 'message')) as [number]
  const arrived = new Map<string, PromiseWithResolvers<number>>()
  const wait = (word: string) => {
    const known = arrived.get(word) ?? Promise.withResolvers<number>()
    arrived.set(word, known)
    return known
  }
  thread.on('message', (call: Call) => wait(call.word).resolve(call.arrived))
  return {
    port,
    url: `http://127.0.0.1:${port}/v1`,
    async arrival(word: string): Promise<number> {
      const time = await wait(word).promise
      arrived.delete(word)
      return time
    },
    stop: () => thread.terminate(),
  }
}

export const now = () => Number(process.hrtime.bigint()) / 1e6
