import type { ListeningServer, Server, StandbyListener } from '../../server.ts'
import type { Waiting } from '../../session.ts'
import { jsonOption } from '../arguments.ts'
import type { Command, CommandCall, Io } from '../../capability.ts'
import type { ModelFacts, ModelsSettings, Provider } from '../../model.ts'
import { asSentence, systemClock, defined, errorMessage, settlesWithin, withTimeout } from '../../platform.ts'
import { CommandFailure, usageFailure } from '../failure.ts'
import { type StandbyHomes, type Gateway, openGateway } from '../gateway.ts'
import { exitNow, onInterrupt } from '../interrupt.ts'
import { loadedCapabilities, note, print, printJson } from '../io.ts'
import { addressWithToken, type StartFacts, startScreen } from '../start-screen.ts'
import { returnMemoryWhenQuiet } from '../return-memory.ts'
import { version } from '../version.ts'

/** How long running calls may take to finish, ms. Unfinished turns resume at the next start. */
const GRACE = 5_000
/** How long closing may take before the process exits, ms. */
const CLOSING_LIMIT = 15_000
/** Exit code of a gateway whose disk did not confirm what was written, or whose store another one took over, so that it stopped by itself. */
const STORE_FAILED = 4

export const startCommand: Command = {
  name: 'start',
  group: 'set-up',
  summary: 'run the gateway: the HTTP API and the channels',
  usage: ['start [--port PORT] [--json]'],
  details:
    'Prints one screen and runs until Ctrl-C; a second Ctrl-C exits at once. Accepted messages are never lost: ' +
    'interrupted turns resume at the next start. On a database on which another gateway works, it stands by and takes over when that one ends.',
  words: { least: 0, most: 0 },
  options: {
    port: { value: 'PORT', summary: 'listen on this port, and not on `gateway.port`; 0 takes a free one' },
    json: { ...jsonOption, summary: 'print {address, port, pid, model, home, store, warnings} instead of the screen' },
  },
  run: runGateway,
}

async function runGateway(call: CommandCall, given: Io): Promise<number> {
  const io = withPort(given, call.text('port'))
  // Warnings from the start appear on the screen, later ones when they occur.
  let announced = false
  const standby = prepareStandby(io)
  const gateway = await openGateway(call.home, io, (text) => announced && note(io, text), {
    listens: true,
    async *examine() {
      const { examine } = await import('../doctor/examine.ts')
      yield* examine(call.home, io)
    },
    async *examineSecurity() {
      const { examineSecurity } = await import('../doctor/security.ts')
      yield* examineSecurity(call.home, io, { fixes: false })
    },
    standby,
  }).catch((error: unknown) => standby.end(error))
  if (gateway === undefined) return 0
  const listening = await standby.serve(gateway.server, () => listenOn(gateway))
  const stopReturning = returnMemoryWhenQuiet(systemClock)
  let fault: unknown
  try {
    gateway.claim.update({ pid: process.pid, address: listening.url, started: gateway.started })
    // The screen may be read, and Ctrl-C pressed, before this function continues.
    const asked = Promise.race([standby.interrupted() ?? waitForInterrupt(io), gateway.runtime.store.failed])
    // Another gateway may have taken the store over while this one was frozen.
    fault = await joinOthers(gateway, listening).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (fault === undefined) {
      await announce(gateway, listening, call, io)
      announced = true
      fault = await asked
    }
    if (fault !== undefined)
      note(io, `Stopping: ${asSentence(errorMessage(fault))} Unfinished turns resume at the next start.`)
    else if (!call.json) note(io, '\nStopping. Press Ctrl-C again to exit at once.')
  } finally {
    stopReturning()
    const meanwhile = () =>
      gateway.close().catch((error: unknown) => {
        if (fault === undefined) throw error
        // What the store did not take at the end is told already, and what stayed open must not keep the process.
        exitNow(io, STORE_FAILED)
      })
    const hasOthers = gateway.runtime.store.gateways !== undefined
    await closeInTime(io, () => listening.close({ graceMs: GRACE, meanwhile, hasOthers }))
  }
  return fault === undefined ? 0 : STORE_FAILED
}

/** What happens where another gateway has the store: the port is open and refuses, until this one works or is ended. */
function prepareStandby(io: Io) {
  const ending = new AbortController()
  let interrupted: Promise<void> | undefined
  let port: Promise<StandbyListener> | undefined
  let homes: StandbyHomes | undefined
  return {
    signal: ending.signal,
    waits(
      waiting: Waiting,
      {
        claim,
        configuration,
        started,
        token,
        open,
      }: Pick<Gateway, 'claim' | 'configuration' | 'started' | 'token'> & {
        readonly open: () => Promise<StandbyHomes>
      },
    ) {
      interrupted = waitForInterrupt(io).then(() => ending.abort())
      port = openPort()
      port.catch(() => ending.abort())

      async function openPort(): Promise<StandbyListener> {
        const { listenOnStandby } = await import('../../server.ts')
        homes = await open()
        const { people, tokens } = homes
        const opened = await listenOnStandby(waiting, {
          ...configuration.gateway,
          clock: systemClock,
          version: version(),
          token,
          people,
          tokens,
        })
        const { url } = opened.listening
        claim.update({ pid: process.pid, address: url, started })
        const { address, host } = waiting.active() ?? {}
        note(
          io,
          `Stands by at ${url}: ${address ?? (host === undefined ? 'another gateway' : `a gateway on ${host}`)} works on the store. Ctrl-C ends this one.`,
        )
        return opened
      }
    },
    /** Resolves when somebody ended it; `undefined` where it did not stand by. */
    interrupted: () => interrupted,
    /** Closes the port after a wait that failed. Returns where somebody ended it, else throws what failed. */
    async end(error: unknown): Promise<undefined> {
      try {
        const opened = await port
        await opened?.listening.close({ graceMs: 0 })
      } catch (cause) {
        throw new CommandFailure('port', errorMessage(cause), { cause })
      } finally {
        await homes?.people.close()
        await homes?.close()
      }
      if (!ending.signal.aborted) throw error
      note(io, 'Stopped standing by.')
      return undefined
    },
    /** The port of before with this server, or a new one. */
    async serve(server: Server, open: () => Promise<ListeningServer>): Promise<ListeningServer> {
      const opened = await port
      if (!opened) return await open()
      opened.serve(server)
      await homes?.close().catch(() => {})
      note(io, 'Took the store over.')
      return opened.listening
    },
  }
}

/** The option counts like its variable, so that one place checks a port. */
function withPort(io: Io, port: string | undefined): Io {
  if (port === undefined) return io
  if (!/^\d{1,5}$/.test(port)) throw usageFailure(`--port needs a number, and not ${JSON.stringify(port)}.`)
  return { ...io, environment: { ...io.environment, FOREWORD_GATEWAY_PORT: port } }
}

async function listenOn(gateway: Gateway): Promise<ListeningServer> {
  const { listen } = await import('../../server.ts')
  try {
    return await listen(gateway.server, gateway.configuration.gateway)
  } catch (error) {
    await gateway.close()
    throw new CommandFailure('port', errorMessage(error), { cause: error })
  }
}

/** Says to the other gateways on the database where this one is, so that homes of people belong here. */
async function joinOthers({ configuration, runtime, people }: Gateway, { url }: ListeningServer): Promise<void> {
  const address = configuration.gateway.peerAddress ?? url
  await runtime.store.gateways?.announce(address)
  await people.announce(address)
}

async function announce(gateway: Gateway, listening: ListeningServer, call: CommandCall, io: Io): Promise<void> {
  const status = await gateway.runtime.status()
  const { models, providers } = gateway.configuration
  const capabilities = await loadedCapabilities(io)
  const known = capabilities.flatMap((capability) => capability.models?.providers ?? [])
  const settings = { clock: systemClock, known, providers, models, environment: io.environment }
  const { unusable, facts: modelFacts } = await glanceAtModel(status.model.id, settings)
  const warnings = unusable === undefined ? status.warnings : [unusable, ...status.warnings]
  if (call.json) {
    const { url: address, port } = listening
    printJson(io, {
      address,
      port,
      pid: process.pid,
      model: status.model,
      home: call.home,
      ...defined({ store: status.store }),
      warnings,
    })
    return
  }
  const facts = {
    version: version(),
    address: addressWithToken(listening.url, gateway.token),
    model: { ...status.model, ...defined({ facts: modelFacts, ...(await describeStandIn(status.model.id, known)) }) },
    lines: modelFacts ? await gateway.runtime.contributed.startLines() : [],
    home: call.home,
    ...defined({ store: status.store }),
    recovered: status.recovered,
    warnings,
  }
  print(io, `${startScreen(facts, io)}\n`)
}

/** How long a start waits for what the server of a model answers, ms. */
const GLANCE_MS = 200

/** What is known of a model without a call to it. Empty where its server does not answer in time. */
interface ModelGlance {
  readonly facts?: ModelFacts
  /** Why the model cannot be used: no such provider, no key, no address, or an error of its server. */
  readonly unusable?: string
}

async function glanceAtModel(id: string, settings: ModelsSettings): Promise<ModelGlance> {
  const { createModels } = await import('../../model.ts')
  const late = Symbol('late')
  try {
    const { facts } = await withTimeout(systemClock, createModels(settings).model(id), GLANCE_MS, { error: () => late })
    return { facts }
  } catch (error) {
    return error === late ? {} : { unusable: `${id} cannot be used: ${errorMessage(error)}` }
  }
}

async function describeStandIn(
  id: string,
  known: readonly Provider[],
): Promise<Pick<StartFacts['model'], 'standIn' | 'ways'> | undefined> {
  const standIn = known.find(({ kind }) => kind === id.split('/', 1)[0])?.standIn
  if (standIn === undefined) return undefined
  const { waysToAttach } = await import('../../model.ts')
  return { standIn, ways: waysToAttach(known) }
}

function waitForInterrupt(io: Io): Promise<void> {
  return new Promise((resolve) => {
    let interrupts = 0
    onInterrupt(io, () => {
      interrupts += 1
      if (interrupts === 1) resolve()
      else exitNow(io, 130)
    })
  })
}

async function closeInTime(io: Io, close: () => Promise<void>): Promise<void> {
  const closing = close()
  if (!(await settlesWithin(systemClock, closing, CLOSING_LIMIT))) exitNow(io, 1)
  await closing
}
