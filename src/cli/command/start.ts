import type { Listening } from '../../server.ts'
import { jsonOption } from '../arguments.ts'
import type { AnyCapability, Command, CommandCall, Io, StartLine } from '../../capability.ts'
import type { ModelFacts, ModelsSettings, Provider } from '../../model.ts'
import { defined, errorMessage, settlesWithin, withTimeout } from '../../platform.ts'
import { CommandFailure } from '../failure.ts'
import { type Gateway, openGateway } from '../gateway.ts'
import { exitNow, onInterrupt } from '../interrupt.ts'
import { note, print, printJson } from '../io.ts'
import { addressWithToken, type StartFacts, startScreen } from '../start-screen.ts'
import { version } from '../version.ts'

/** How long running calls may take to come to an end, ms. What is unfinished then goes on at the next start. */
const GRACE = 5_000
/** When closing itself does not come to an end, ms. */
const CLOSING_LIMIT = 15_000

export const startCommand: Command = {
  name: 'start',
  summary: 'run the gateway: HTTP, streams and the address for the browser',
  usage: ['start [--json]'],
  details:
    'Prints one screen and stays until Ctrl-C; a second Ctrl-C leaves at once. Nothing accepted is lost either way: ' +
    'unfinished turns go on at the next start.',
  words: { least: 0, most: 0 },
  options: {
    json: { ...jsonOption, summary: 'print {address, port, pid, model, home, warnings} instead of the screen' },
  },
  run: runGateway,
}

async function runGateway(call: CommandCall, io: Io): Promise<number> {
  // What is odd at the start stands on the screen; what comes later is told when it comes.
  let announced = false
  const gateway = await openGateway(call.home, io, (text) => announced && note(io, text), { listens: true })
  const listening = await listenOn(gateway)
  try {
    gateway.claim.update({ pid: process.pid, address: listening.url, started: gateway.started })
    // Whoever reads the screen may already ask it to stop.
    const asked = interrupted(io)
    await announce(gateway, listening, call, io)
    announced = true
    await asked
    if (!call.json) note(io, '\nStopping. Ctrl-C once more leaves at once.')
  } finally {
    await closeInTime(io, async () => {
      await listening.close({ graceMs: GRACE })
      await gateway.close()
    })
  }
  return 0
}

async function listenOn(gateway: Gateway): Promise<Listening> {
  const { listen } = await import('../../server.ts')
  try {
    return await listen(gateway.server, gateway.configuration.gateway)
  } catch (error) {
    await gateway.close()
    throw new CommandFailure('port', errorMessage(error), { cause: error })
  }
}

async function announce(gateway: Gateway, listening: Listening, call: CommandCall, io: Io): Promise<void> {
  const status = await gateway.runtime.status()
  const { models, providers } = gateway.configuration
  const { capabilities = [] } = io
  const known = capabilities.flatMap((capability) => capability.providers ?? [])
  const settings = { known, providers, models, environment: io.environment }
  const { unusable, facts: modelFacts } = await glanceAtModel(status.model.id, settings)
  const warnings = unusable === undefined ? status.warnings : [unusable, ...status.warnings]
  if (call.json) {
    const { url: address, port } = listening
    printJson(io, { address, port, pid: process.pid, model: status.model, home: call.home, warnings })
    return
  }
  const facts = {
    version: version(),
    address: addressWithToken(listening.url, gateway.token),
    model: { ...status.model, ...defined({ facts: modelFacts, ...(await standInOf(status.model.id, known)) }) },
    lines: modelFacts ? await startLines(gateway, capabilities) : [],
    home: call.home,
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
    const { facts } = await withTimeout(createModels(settings).model(id), GLANCE_MS, { error: () => late })
    return { facts }
  } catch (error) {
    return error === late ? {} : { unusable: `${id} cannot be used: ${errorMessage(error)}` }
  }
}

/** What a stand-in says of itself, and how to attach a model in its place. */
async function standInOf(
  id: string,
  known: readonly Provider[],
): Promise<Pick<StartFacts['model'], 'standIn' | 'ways'> | undefined> {
  const standIn = known.find(({ kind }) => kind === id.split('/', 1)[0])?.standIn
  if (standIn === undefined) return undefined
  const { waysToAttach } = await import('../../model.ts')
  return { standIn, ways: waysToAttach(known) }
}

/** What capabilities say on the screen; a start does not fail for it. */
async function startLines({ runtime }: Gateway, capabilities: readonly AnyCapability[]): Promise<readonly StartLine[]> {
  const lines = capabilities.map(async ({ name, startLine }) => {
    try {
      return await startLine?.(runtime)
    } catch (error) {
      const text = `What is to be said of it is not known: ${errorMessage(error).split('\n', 1)[0]}`
      return { label: `${name.charAt(0).toUpperCase()}${name.slice(1)}`, text }
    }
  })
  return (await Promise.all(lines)).filter((line) => line !== undefined)
}

function interrupted(io: Io): Promise<void> {
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
  if (!(await settlesWithin(closing, CLOSING_LIMIT))) exitNow(io, 1)
  await closing
}
