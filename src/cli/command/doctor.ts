import type { Command, CommandCall, Finding, Io } from '../../capability.ts'
import { examine } from '../doctor/examine.ts'
import { refuseTools, usageFailure } from '../failure.ts'
import { safeForTerminal, type Look, print, printJson, applyStyle } from '../io.ts'
import { withLocalTimes } from '../time-text.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  group: 'set-up',
  summary: 'check the home, the configuration, the store, the model, the tools and every capability',
  usage: ['doctor [--json]', 'doctor --security [--fix] [--json]'],
  details:
    'Prints one finding per line, with a hint where there is something to do. The exit code is 1 if there is a problem; warnings do not count. `--security` checks ' +
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
  for await (const finding of found) {
    findings.push(finding)
    const id = 'id' in finding ? `${String(finding.id)}  ` : ''
    if (!call.json) print(io, `${id}${findingText(finding, io)}`)
  }
  if (call.json) printJson(io, { findings })
  return findings.some(({ level }) => level === 'problem') ? 1 : 0
}

const looks: Readonly<Record<Finding['level'], Look>> = { ok: 'green', warning: 'yellow', problem: 'red' }

function findingText({ check, level, message, hint }: Finding, io: Io): string {
  const line = `${applyStyle(io, looks[level], level.padEnd(7))}  ${check.padEnd(13)}  ${safeForTerminal(withLocalTimes(message), io.stdout)}`
  return hint === undefined ? line : `${line}\n${' '.repeat(24)} ${hint}`
}
