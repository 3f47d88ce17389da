import { delayAfter, growingDelaysMs } from './channel-backoff.ts'
import type { Channel, ChannelContext, ChannelInbox } from '../../capability.ts'
import { settlesWithin, sleep } from '../../platform.ts'
import type { Runtime } from '../../capability.ts'
import { failureSentence } from '../failure-sentence.ts'

/** Channels that take what people say. */
export interface RunningChannels {
  /** Stops all of them, and waits for them for some seconds. */
  stop(): Promise<void>
}

export interface ChannelRun {
  readonly channels: readonly Channel[]
  readonly runtime: Runtime
  readonly inboxOf: (channel: string) => ChannelInbox
  /** How a channel notes what it has sent. */
  readonly sentOf: (channel: string) => ChannelContext['sent']
  /** Sentences for the operator. */
  readonly warn: (text: string) => void
  /** Waits before a channel that did not start is started again, ms; the last one goes on. */
  readonly retryDelaysMs?: readonly number[]
  /** How long `stop` waits, ms. */
  readonly patienceMs?: number
}

/** Starts every channel and does not wait for it. Each has been given its desk when this returns. */
export function runChannels(parts: ChannelRun): RunningChannels {
  const { channels, runtime, warn, retryDelaysMs = growingDelaysMs, patienceMs = 5_000 } = parts
  const stopping = new AbortController()
  const { signal: stopped } = stopping

  async function start(channel: Channel): Promise<void> {
    const { name } = channel
    const desk: ChannelContext = { runtime, inbox: parts.inboxOf(name), sent: parts.sentOf(name), warn }
    let told: string | undefined
    for (let failures = 1; !stopped.aborted; failures += 1) {
      try {
        await channel.start?.(desk)
        return
      } catch (error) {
        if (stopped.aborted) return
        const problem = failureSentence(error)
        if (problem !== told) warn(`The channel ${name} did not start: ${problem} It is tried again.`)
        told = problem
        await sleep(delayAfter(failures, retryDelaysMs), stopped)
      }
    }
  }

  async function stop(channel: Channel): Promise<void> {
    try {
      await channel.stop?.()
    } catch (error) {
      warn(`The channel ${channel.name} did not stop as it should: ${failureSentence(error)}`)
    }
  }

  for (const channel of channels) void start(channel)
  return {
    async stop() {
      stopping.abort()
      const left = await Promise.all(
        channels.map(async (channel) => ((await settlesWithin(stop(channel), patienceMs)) ? [] : [channel.name])),
      )
      for (const name of left.flat()) warn(`The channel ${name} did not stop in time and was left alone.`)
    },
  }
}
