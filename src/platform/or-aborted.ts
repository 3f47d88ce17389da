/**
 * What `work` comes to, or a rejection with the reason of `signal` as soon as that is aborted. The work goes on: this is for
 * work that does not mind the signal, or that somebody else asks for next. What it fails with later troubles nobody.
 */
export function orAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  const aborted = Promise.withResolvers<never>()
  const leave = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', leave))
}
