import type { Channel, ChannelContext, ChannelInbox, Clock, Runtime, SentPart } from '../../capability.ts'
import { settlesWithin, singleFlight } from '../../platform.ts'
import type { LogStore } from '../../session.ts'
import { delayAfter, failureSentence, growingDelaysMs, runtimeFailure } from '../failure.ts'

/** Starts every channel and does not wait for it. Each has its `ChannelContext` when this returns. */
export function runChannels(parts: {
  readonly channels: readonly Channel[]
  readonly runtime: Runtime
  readonly clock: Clock
  readonly openInbox: (channel: string) => ChannelInbox
  readonly openSent: (channel: string) => ChannelContext['sent']
  readonly warn: (text: string) => void
  /** Waits before a channel that did not start is started again, ms; the last one repeats. */
  readonly retryDelaysMs?: readonly number[]
  readonly stopTimeoutMs?: number
}) {
  const { channels, runtime, clock, warn, retryDelaysMs = growingDelaysMs, stopTimeoutMs = 5_000 } = parts
  const stopping = new AbortController()
  const { signal: stopped } = stopping

  async function start(channel: Channel): Promise<void> {
    const { name } = channel
    const context: ChannelContext = { runtime, inbox: parts.openInbox(name), sent: parts.openSent(name), warn }
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

/** Writes `sent` entries for channels. The same message for the same part is written once. */
export function noteSent(parts: {
  readonly store: LogStore
  readonly clock: Clock
}): (channel: string) => ChannelContext['sent'] {
  const { store, clock } = parts
  const notes = singleFlight<string, void>()

  async function note(channel: string, session: string, turn: string, { part, messageId }: SentPart): Promise<void> {
    try {
      const entries = await store.entries(session, { turn, types: ['sent'] })
      const newest = entries.findLast((entry) => entry.type === 'sent' && entry.part === part)
      if (newest?.type === 'sent' && newest.messageId === messageId) return
      await store.append(session, [{ type: 'sent', turn, channel, part, messageId }], clock.time())
    } catch (error) {
      throw runtimeFailure(error)
    }
  }

  return (channel) => (session, turn, sent) => {
    const name = JSON.stringify([session, turn, sent.part, sent.messageId])
    return notes.run(name, () => note(channel, session, turn, sent))
  }
}
