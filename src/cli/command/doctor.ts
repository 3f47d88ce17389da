import type { Command, CommandCall, Finding, Io } from '../../capability.ts'
import { examine } from '../doctor/examine.ts'
import { refuseTools, usageFailure } from '../failure.ts'
import { safeForTerminal, type Look, print, printJson, applyStyle } from '../io.ts'
import { statusLine } from '../status-line.ts'
import { withLocalTimes } from '../time-text.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  group: 'set-up',
  summary: 'check the home, the configuration, the store, the model, the tools and every capability',
  usage: ['doctor [--json]', 'doctor --security [--fix] [--json]'],
  details:
    'Prints one finding per line, problems first, with a hint where there is something to do. The exit code is 1 if there is a problem; warnings do not count. `--security` checks ' +
    'for each known hole instead, under an id that stays the same.',
  words: { least: 0, most: 0 },
  options: {
    json: { summary: 'print {findings: [{check, level, message, hint}]}; with --security each has an id, too' },
    security: { summary: 'check for holes: who can read, connect and run what' },
    fix: { summary: 'with --security: take the rights of others from private files' },
  },
  run: checkUp,
}

async function checkUp(call: CommandCall, io: Io): Promise<number> {
  const [isSecurity, fixes] = [call.has('security'), call.has('fix')]
  if (fixes && !isSecurity) throw usageFailure('--fix needs --security.')
  if (fixes) refuseTools(io, 'change files of the home')
  const findings: Finding[] = []
  const found = isSecurity
    ? (await import('../doctor/security.ts')).examineSecurity(call.home, io, { fixes })
    : examine(call.home, io)
  const progress = statusLine(io)
  for await (const finding of found) {
    findings.push(finding)
    progress.show(`checked: ${finding.check} …`)
  }
  progress.clear()
  if (call.json) printJson(io, { findings })
  else for (const finding of findings.toSorted(byLevel)) print(io, findingText(finding, io))
  return findings.some(({ level }) => level === 'problem') ? 1 : 0
}

const looks: Readonly<Record<Finding['level'], Look>> = { ok: 'green', warning: 'yellow', problem: 'red' }

const byLevel = (one: Finding, other: Finding): number => levels.indexOf(one.level) - levels.indexOf(other.level)

const levels: readonly Finding['level'][] = ['problem', 'warning', 'ok']

function findingText(finding: Finding, io: Io): string {
  const { check, level, message, hint } = finding
  const id = 'id' in finding ? `${String(finding.id)}  ` : ''
  const line = `${id}${applyStyle(io, looks[level], level.padEnd(7))}  ${check.padEnd(13)}  ${safeForTerminal(withLocalTimes(message), io.stdout)}`
  return hint === undefined ? line : `${line}\n${' '.repeat(24)} ${hint}`
}
