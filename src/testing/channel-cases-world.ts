import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capability } from '../capability.ts'
import { messageText, tokenx, usualLayout } from '../context.ts'
import type { ModelRequest } from '../model.ts'
import { type Channel, createRuntime, type Pairings, type Runtime, systemClock } from '../runtime.ts'
import { openSqliteStore, type SessionStore } from '../session.ts'
import { readAccess } from '../tool.ts'
import { scriptedModel, scriptedModels, type ScriptedReply } from './scripted-model.ts'

/** What every request of these gateways begins with. */
const prompt = capability({
  name: 'prompt',
  layers: () => [
    {
      id: 'system-prompt',
      layer: 'system-prompt',
      renditions: [{ form: 'full', text: 'You answer in a chat.' }],
      origin: { kind: 'operator', ref: 'channel cases' },
    },
  ],
})

/** A channel on a gateway that can be started again and again. */
interface ChannelWorld {
  readonly place: ChannelPlace
  /** What the model was asked, over all starts. */
  readonly asked: readonly ModelRequest[]
  open(script?: ChannelScript): Promise<OpenWorld>
  /** Closes what is open and removes everything. */
  remove(): Promise<void>
}

/** Runs one case in a world of its own and cleans up behind it. */
export type ChannelCase = (name: string, run: (world: ChannelWorld) => Promise<void>) => void

/** What happens behind the channel. */
interface ChannelScript {
  /** The model's answer to what was said. `question-N` is answered with `answer-N` unless given. */
  readonly answer?: (said: string) => ScriptedReply | Promise<ScriptedReply>
  /** Awaited before something is written. A rejection is a disk that refuses. */
  readonly before?: (written: Written) => Promise<void> | void
}

/** In the inbox of the channel, or as an entry of the log. */
type Written = 'inbox' | 'input' | 'sent' | 'delivered' | 'other'

/** One start of the gateway. */
interface OpenWorld extends Pick<OpenChannel, 'say' | 'heard' | 'fail'> {
  readonly runtime: Runtime
  readonly channel: Channel
  /** Whether the channel knows strangers. */
  readonly pairs: boolean
  /** Lets conversations in. */
  pair(...conversations: readonly string[]): Promise<void>
  /** The `answer-N` that stand in a conversation, in order. */
  answers(conversation: string): Promise<readonly string[]>
  /** Waits until a conversation has so many of them, and answers them. */
  answered(conversation: string, count: number): Promise<readonly string[]>
  close(): Promise<void>
}

/** How long a case waits for what should happen, ms. */
const PATIENCE = 60_000

export async function channelWorld(place: ChannelPlace): Promise<ChannelWorld> {
  const home = await mkdtemp(join(tmpdir(), 'foreword-channel-'))
  const asked: ModelRequest[] = []
  const opened: OpenWorld[] = []
  return {
    place,
    asked,
    async open(script = {}) {
      const world = await openWorld(place, home, asked, script)
      opened.push(world)
      return world
    },
    async remove() {
      for (const each of opened) await each.close()
      await place.remove()
      await rm(home, { recursive: true, force: true })
    },
  }
}

async function openWorld(
  place: ChannelPlace,
  home: string,
  asked: ModelRequest[],
  { answer = repeated, before = () => {} }: ChannelScript,
): Promise<OpenWorld> {
  const side = await place.open()
  const model = scriptedModel({
    answer(request) {
      asked.push(request)
      return answer(saidIn(request))
    },
  })
  const runtime: Runtime = await createRuntime({
    version: '0.1.0',
    home,
    store: watchedStore(await openSqliteStore({ path: join(home, 'store.sqlite') }), before),
    models: scriptedModels(model),
    capabilities: [prompt],
    settings: { layout: usualLayout, counter: tokenx, maxSteps: 4, retryDelaysMs: [1, 1] },
    clock: systemClock,
    policy: { current: async () => readAccess('{}', {}) },
    channels: [watchedChannel(side.channel, before)],
  })
  let closing: Promise<void> | undefined
  const answers = async (conversation: string) =>
    (await side.heard(conversation)).flatMap((text) => text.match(/answer-\d+/g) ?? [])
  return {
    runtime,
    channel: side.channel,
    say: (conversation, text, options) => side.say(conversation, text, options),
    heard: (conversation) => side.heard(conversation),
    ...(side.fail ? { fail: (after) => side.fail!(after) } : {}),
    pairs: side.pair !== undefined,
    async pair(...conversations) {
      for (const conversation of conversations) await side.pair?.(conversation, runtime.pairings)
    },
    answers,
    async answered(conversation, count) {
      await eventually(
        `${count} answers in the conversation ${conversation}`,
        async () => (await answers(conversation)).length >= count,
      )
      return answers(conversation)
    },
    close() {
      closing ??= runtime.close().then(() => side.close())
      return closing
    },
  }
}

/** Waits until something is so; rejects where it does not become so. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const began = performance.now(); !(await isSo()); await moment(5)) {
    if (performance.now() - began > PATIENCE) throw new Error(`waited in vain for ${what}`)
  }
}

/** Long enough for what must not happen to happen. */
export function moment(milliseconds = 40): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function repeated(said: string): ScriptedReply {
  return {
    text:
      said
        .match(/question-\d+/g)
        ?.at(-1)
        ?.replace('question', 'answer') ?? 'ok',
  }
}

function saidIn({ messages }: ModelRequest): string {
  const newest = messages.findLast(({ role }) => role === 'user')
  return newest ? messageText(newest) : ''
}

function watchedStore(store: SessionStore, before: NonNullable<ChannelScript['before']>): SessionStore {
  return {
    ...store,
    async append(session, bodies, time) {
      const type = bodies.at(-1)?.type
      await before(type === 'input' || type === 'sent' || type === 'delivered' ? type : 'other')
      return store.append(session, bodies, time)
    },
  }
}

function watchedChannel(channel: Channel, before: NonNullable<ChannelScript['before']>): Channel {
  return {
    name: channel.name,
    async start(desk) {
      const { inbox } = desk
      await channel.start?.({
        ...desk,
        inbox: {
          async accept(id, value) {
            await before('inbox')
            return inbox.accept(id, value)
          },
          waiting: () => inbox.waiting(),
          done: (id) => inbox.done(id),
        },
      })
    },
    stop: async () => channel.stop?.(),
    deliver: (reply) => channel.deliver(reply),
    warnings: () => channel.warnings?.() ?? [],
  }
}

/** A service where people talk, on a small scale: empty at first, and alive while channels to it come and go. */
export interface ChannelPlace {
  /** The longest message that the service takes, characters. Longer replies have to arrive in parts. */
  readonly longest: number
  /**
   * Opens a channel to the service; called again after `close`, as after a restart. The service still knows what was said
   * and heard, and delivers again what was not acknowledged.
   */
  open(): Promise<OpenChannel>
  remove(): Promise<void>
}

/** One channel, and the people at its other end. Conversations are named by digits, such as `4001`. */
export interface OpenChannel {
  /** Not started: the runtime starts and stops it. */
  readonly channel: Channel
  /** Somebody says something. Resolves once the channel has acknowledged it to the service. */
  say(conversation: string, text: string, options?: SayOptions): Promise<void>
  /** What the channel has put into a conversation, a text for each message, as it reads now. */
  heard(conversation: string): Promise<readonly string[]>
  /** The owner lets a conversation in. Absent where a channel knows no strangers. */
  pair?(conversation: string, pairings: Pairings): Promise<void>
  /** From now on the service takes so many new messages and refuses others for the time being; `undefined` mends it. */
  fail?(after: number | undefined): void
  /** Called after the runtime was closed. */
  close(): Promise<void>
}

export interface SayOptions {
  /** The service's number of the message, from 1 on. The same number again is the same message, delivered again. */
  readonly update?: number
}

/** The `test` of `node:test`, or anything of its shape. */
export type ChannelTest = (name: string, run: () => Promise<void>) => unknown
