import { keyedQueue } from '../../platform.ts'
/** Work of several chats: in order within each, side by side among them. */
export interface ChatQueues {
  /** Does the work once everything that was added under the same key is done. */
  add(key: string, work: () => Promise<void>): void
  /** Once nothing is left to do. */
  settled(): Promise<void>
}

/** `onFault` is told of work that rejected; what comes behind it goes on. */
export function createChatQueues(onFault: (error: unknown) => void): ChatQueues {
  const queue = keyedQueue<string>()
  return {
    add: (key, work) => void queue.add(key, work).catch(onFault),
    settled: queue.idle,
  }
}
