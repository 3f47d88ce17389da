import type { Io } from './io.ts'
import type { ModelFacts } from '../model.ts'
import { harmless, styled } from './style.ts'
import { withLocalTimes } from './time-text.ts'

export interface StartFacts {
  readonly version: string
  /** With the token, so that a browser gets in. */
  readonly address: string
  /** Facts where they are known by now. */
  readonly model: { readonly id: string; readonly why: string; readonly facts?: ModelFacts }
  /** What of the skills reaches the model; absent where there are none, or nobody knows yet. */
  readonly skills?: string
  readonly home: string
  readonly configurationFile: string
  /** Turns that the last run left unfinished and that go on now. */
  readonly recovered: number
  readonly warnings: readonly string[]
}

const DRY_RUN = 'a dry run that answers with the outline of what it was sent'

/** The one screen of `foreword start`. */
export function startScreen(facts: StartFacts, io: Io): string {
  const { version, address, model, home, recovered, warnings } = facts
  const label = (name: string) => `  ${styled(io, 'dim', name.padEnd(8))} `
  const lines = [
    '',
    `${styled(io, 'bold', 'Foreword')} ${version}`,
    '',
    `${label('Address')}${styled(io, 'cyan', address)}`,
    `${label('Model')}${styled(io, 'bold', model.id)}: ${isRehearsal(model.id) ? DRY_RUN : harmless(model.why, io.stdout)}`,
    ...(model.facts ? [`${label('Window')}${windowText(model.facts)}`] : []),
    ...(facts.skills === undefined ? [] : [`${label('Skills')}${harmless(facts.skills, io.stdout)}`]),
    `${label('Data')}${home}`,
    `${label('Talk')}\`foreword chat\` in another terminal (in a checkout \`npm run foreword -- chat\`)`,
    `${label('Stop')}Ctrl-C`,
  ]
  if (recovered > 0) lines.push(`${label('Resumed')}${recovered} ${recovered === 1 ? 'turn' : 'turns'} of the last run`)
  if (isRehearsal(model.id)) lines.push('', attachText(facts.configurationFile, io))
  if (warnings.length > 0) {
    lines.push('', styled(io, 'yellow', '  Warnings'))
    for (const warning of warnings) lines.push(`    ${harmless(withLocalTimes(warning), io.stdout)}`)
  }
  return lines.join('\n')
}

/** What a request may hold, and which of the figures nobody told. */
function windowText({ window, maxOutput, assumed = [] }: ModelFacts): string {
  const mark = (name: (typeof assumed)[number]) => (assumed.includes(name) ? ' (assumed)' : '')
  const hint = assumed.includes('window') ? '; if you know better, set `models.ID.window` in config.json' : ''
  return `${window} tokens${mark('window')}, answers of up to ${maxOutput}${mark('maxOutput')}${hint}`
}

function isRehearsal(model: string): boolean {
  return model === 'rehearsal' || model.startsWith('rehearsal/')
}

function attachText(configurationFile: string, io: Io): string {
  return [
    `  ${styled(io, 'yellow', 'Three ways to attach a real model, then start again:')}`,
    '    1. Ollama: `ollama serve` and `ollama pull llama3.2`; it is found by itself',
    '    2. A key: set ANTHROPIC_API_KEY or OPENAI_API_KEY in the environment',
    `    3. Any server that speaks OpenAI's format, in ${configurationFile}:`,
    '       { "providers": { "lab": { "kind": "openai-compatible", "baseURL": "http://127.0.0.1:1234/v1" } },',
    '         "model": "lab/MODEL" }',
  ].join('\n')
}

/** Opens the gateway to a browser, which trades the token for a cookie. */
export function addressWithToken(address: string, token: string | undefined): string {
  return token === undefined ? address : `${address}/?token=${encodeURIComponent(token)}`
}
