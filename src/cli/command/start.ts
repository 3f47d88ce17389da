import type { Listening } from '../../server.ts'
import { type Command, type CommandCall, jsonOption } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { type Gateway, openGateway } from '../gateway.ts'
import { leave, onInterrupt } from '../interrupt.ts'
import { type Io, note, print, printJson } from '../io.ts'
import { addressWithToken, startScreen } from '../start-screen.ts'
import { version } from '../version.ts'

/** How long running calls may take to come to an end, ms. What is unfinished then goes on at the next start. */
const GRACE = 5_000
/** When closing itself does not come to an end, ms. */
const CLOSING_LIMIT = 15_000

export const start: Command = {
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
    throw new CommandFailure('port', error instanceof Error ? error.message : String(error), { cause: error })
  }
}

async function announce(gateway: Gateway, listening: Listening, call: CommandCall, io: Io): Promise<void> {
  const status = await gateway.runtime.status()
  const { glanceAtModel } = await import('../model-glance.ts')
  const { models, providers } = gateway.configuration
  const { providers: known } = await import('../../capabilities/providers.ts')
  const settings = { known, providers, models, environment: io.environment }
  const { unusable, facts: modelFacts } = await glanceAtModel(status.model.id, settings)
  const warnings = unusable === undefined ? status.warnings : [unusable, ...status.warnings]
  if (call.json) {
    const { url: address, port } = listening
    printJson(io, { address, port, pid: process.pid, model: status.model, home: call.home, warnings })
    return
  }
  const skills = modelFacts && (await skillsText(gateway))
  const facts = {
    version: version(),
    address: addressWithToken(listening.url, gateway.token),
    model: { ...status.model, ...(modelFacts ? { facts: modelFacts } : {}) },
    ...(skills === undefined ? {} : { skills }),
    home: call.home,
    configurationFile: gateway.configurationFile,
    recovered: status.recovered,
    warnings,
  }
  print(io, `${startScreen(facts, io)}\n`)
}

/** What of the skills reaches the model that answers next; a start does not fail for it. */
async function skillsText({ runtime }: Gateway): Promise<string | undefined> {
  const { reachText, skillsReach } = await import('../../capabilities/skills/cli/skills-reach.ts')
  const { skills = 0 } = await runtime.status()
  if (skills === 0) return undefined
  try {
    return reachText(skillsReach(await runtime.preview({}), skills))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return `What of the ${skills} skills reaches the model cannot be said: ${message.split('\n', 1)[0]}`
  }
}

function interrupted(io: Io): Promise<void> {
  return new Promise((resolve) => {
    let interrupts = 0
    onInterrupt(io, () => {
      interrupts += 1
      if (interrupts === 1) resolve()
      else leave(io, 130)
    })
  })
}

async function closeInTime(io: Io, close: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => leave(io, 1), CLOSING_LIMIT)
  try {
    await close()
  } finally {
    clearTimeout(timer)
  }
}
