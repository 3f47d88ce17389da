import { parentPort, workerData } from 'node:worker_threads'
import { expressionMatches } from './line-matcher.ts'

/** The thread of `expressionMatcher`: answers each text with the lines that fit. */
parentPort?.on('message', ({ text, most }: { readonly text: string; readonly most: number }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort?.postMessage(expressionMatches(workerData as string, text, most))
})
