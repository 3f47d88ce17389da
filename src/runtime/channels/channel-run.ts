import type { Channel, ChannelContext, ChannelInbox, Clock, Runtime } from '../../capability.ts'
import { settlesWithin } from '../../platform.ts'
import { delayAfter, failureSentence, growingDelaysMs } from '../failure.ts'

/** Gives what came in over a channel to the home of a person, wherever that is open. On disk when it resolves. */
export type HandOver = (
  person: string,
  channel: string,
  came: { readonly id: string; readonly value: unknown },
) => Promise<void>

/** Starts every channel and does not wait for it. Each has its `ChannelContext` when this returns. */
export function runChannels(parts: {
  readonly channels: readonly Channel[]
  readonly runtime: Runtime
  readonly clock: Clock
  readonly openInbox: (channel: string) => ChannelInbox
  readonly openSent: (channel: string) => Pick<ChannelContext, 'sending' | 'sent'>
  readonly hasHome: ChannelContext['hasHome']
  readonly handOver?: HandOver | undefined
  readonly warn: (text: string) => void
  /** Waits before a channel that did not start is started again, ms; the last one repeats. */
  readonly retryDelaysMs?: readonly number[]
  readonly stopTimeoutMs?: number
}) {
  const { channels, runtime, clock, handOver, warn, retryDelaysMs = growingDelaysMs, stopTimeoutMs = 5_000 } = parts
  const stopping = new AbortController()
  const { signal: stopped } = stopping

  async function start(channel: Channel): Promise<void> {
    const { name } = channel
    const context: ChannelContext = {
      runtime,
      inbox: parts.openInbox(name),
      ...parts.openSent(name),
      hasHome: parts.hasHome,
      warn,
      ...(handOver && { handOver: (person, came) => handOver(person, name, came) }),
    }
    let lastProblem: string | undefined
    for (let failures = 1; !stopped.aborted; failures += 1) {
      try {
        await channel.start?.(context)
        // It has begun to listen after it was told to stop.
        if (stopped.aborted) await stop(channel)
        return
      } catch (error) {
        if (stopped.aborted) return
        const problem = failureSentence(error)
        if (problem !== lastProblem) warn(`The channel ${name} did not start: ${problem} Foreword tries again.`)
        lastProblem = problem
        await clock.sleep(delayAfter(failures, retryDelaysMs), stopped)
      }
    }
  }

  async function stop(channel: Channel): Promise<void> {
    try {
      await channel.stop?.()
    } catch (error) {
      warn(`The channel ${channel.name} failed to stop: ${failureSentence(error)}`)
    }
  }

  const starts = new Map(channels.map((channel) => [channel, start(channel)]))
  return {
    async stop() {
      stopping.abort()
      const left = await Promise.all(
        channels.map(async (channel) => {
          const ended = Promise.all([stop(channel), starts.get(channel)])
          return (await settlesWithin(clock, ended, stopTimeoutMs)) ? [] : [channel.name]
        }),
      )
      for (const name of left.flat()) warn(`The channel ${name} did not stop in time.`)
    },
  }
}
