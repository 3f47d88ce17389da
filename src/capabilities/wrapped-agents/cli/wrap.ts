import type { Command, CommandCall, Io } from '../../../capability.ts'
import { jsonOption, print, printJson, refuseTools, table, usageFailure } from '../../../cli.ts'
import { defined, nearestHint } from '../../../platform.ts'
import { wrappedPrograms } from '../program/programs.ts'
import type { WrappedProgram } from '../program/wrapped-program.ts'
import { commonVariables, type RunChoices, runFacts } from '../run/run-environment.ts'
import { runWrapped } from '../run/run-wrapped.ts'

const names = wrappedPrograms.map(({ name }) => name)

export const wrapCommand: Command = {
  name: 'wrap',
  group: 'talk',
  summary: 'run another agent with its calls through this gateway, which records, prices and limits them',
  usage: [
    `wrap (${names.join(' | ')}) [--provider NAME] [--model MODEL] [--gateway-key] [--assemble] [--print] [--json] [-- ARGS…]`,
  ],
  details:
    'The program runs as usual, with its own arguments, sign-in and settings; only its calls go through the gateway, byte by byte. ' +
    'If no gateway runs on this home, one is opened for the run. A token of the scope `talk` is made for the run and revoked after ' +
    'it; temporary files are removed. The exit code is that of the program. Afterwards one line says how many calls there were, ' +
    'what they used and cost, and where to look; `foreword watch` shows them while they happen. If no call arrived, the program ' +
    'used another provider, or settings of its own take precedence.',
  words: { least: 1, most: Infinity },
  options: {
    provider: {
      value: 'NAME',
      summary: 'the provider of the configuration that its calls go to (default: those it has)',
    },
    model: {
      value: 'MODEL',
      summary: 'the model that it uses; a program that does not know its window gets that, too',
    },
    'gateway-key': { summary: 'use the key of this gateway for its calls, not its own' },
    assemble: {
      summary: 'cut conversations that no longer fit the window, instead of passing them on unchanged',
    },
    print: { summary: 'print what would be set, without secrets, and run nothing' },
    json: { ...jsonOption, summary: 'print the line afterwards, or with --print what would be set, as JSON' },
  },
  async run(call, io) {
    const [name = '', ...args] = call.words
    const program = findProgram(name)
    const provider = call.text('provider')
    const model = call.text('model')
    const choices = {
      ...defined({ provider, model }),
      gatewayKey: call.has('gateway-key'),
      assemble: call.has('assemble'),
      args,
    }
    if (call.has('print')) return printPlan(program, choices, call, io)
    refuseTools(io, 'run an agent with a token of its own')
    return await runWrapped({ program, choices, call, io })
  },
}

function findProgram(name: string): WrappedProgram {
  const found = wrappedPrograms.find((program) => program.name === name)
  if (found !== undefined) return found
  const written = (near: string) => `\`foreword wrap ${near}\``
  throw usageFailure(`Unknown program "${name}".`, nearestHint(name, names, `Use one of ${names.join(', ')}.`, written))
}

/** Stands for what only a run has. */
const SHOWN = { id: 'foreword-wrap-PID', address: 'http://127.0.0.1:PORT', token: 'TOKEN', folder: 'FOLDER' } as const

/** What a person has in variables and files can be secret, so that only what is added to it is shown. */
function printPlan(program: WrappedProgram, choices: RunChoices, call: CommandCall, io: Io): number {
  const facts = { ...runFacts(choices, io), ...SHOWN, readText: () => undefined }
  const changed = Object.keys(program.plan(facts).variables)
  const environment = Object.fromEntries(
    Object.entries(io.environment)
      .filter(([name]) => !changed.includes(name))
      // Some programs are given a key under another name.
      .map(([name, value]) => [name, value && name.endsWith('_API_KEY') ? `$${name}` : value]),
  )
  const { variables: own, args, files = [], notes = [] } = program.plan({ ...facts, environment })
  const variables = { ...commonVariables(environment, SHOWN.id), ...own }
  if (call.json) return printJson(io, { command: program.command, args, variables, files, notes })
  print(io, table(Object.entries(variables).map(([variable, value]) => [variable, value ?? '(taken away)'])))
  for (const { path, text } of files) print(io, `\n${path}\n${text.trimEnd()}`)
  print(io, `\n${[program.command, ...args].join(' ')}`)
  for (const text of notes) print(io, `\n${text}`)
  return 0
}
