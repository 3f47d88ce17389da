import type { Command, CommandCall, Finding, Io } from '../../capability.ts'
import { examine } from '../doctor/examine.ts'
import { safeForTerminal, type Look, print, printJson, applyStyle } from '../io.ts'
import { withLocalTimes } from '../time-text.ts'

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check the home, the configuration, the store, the model, the tools and every capability',
  usage: ['doctor [--json]'],
  details:
    'Prints one finding per line, with a hint where there is something to do. The exit code is 1 if there is a problem; warnings do not count.',
  words: { least: 0, most: 0 },
  options: { json: { summary: 'print {findings: [{check, level, message, hint}]}' } },
  run: checkUp,
}

async function checkUp(call: CommandCall, io: Io): Promise<number> {
  const findings: Finding[] = []
  for await (const finding of examine(call.home, io)) {
    findings.push(finding)
    if (!call.json) print(io, findingText(finding, io))
  }
  if (call.json) printJson(io, { findings })
  return findings.some(({ level }) => level === 'problem') ? 1 : 0
}

const looks: Readonly<Record<Finding['level'], Look>> = { ok: 'green', warning: 'yellow', problem: 'red' }

function findingText({ check, level, message, hint }: Finding, io: Io): string {
  const line = `${applyStyle(io, looks[level], level.padEnd(7))}  ${check.padEnd(13)}  ${safeForTerminal(withLocalTimes(message), io.stdout)}`
  return hint === undefined ? line : `${line}\n${' '.repeat(24)} ${hint}`
}
