import type { Command, CommandCall } from '../command.ts'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { type Io, print, printJson } from '../io.ts'
import { harmless, type Look, styled } from '../style.ts'
import { withLocalTimes } from '../time-text.ts'

export const doctor: Command = {
  name: 'doctor',
  summary:
    'check the home, the configuration, the store, the model, skills, tools and their policy, subjects and channels',
  usage: ['doctor [--json]'],
  details: 'Each finding comes with its hint. Exit code 1 where there is a problem; warnings are none.',
  words: { least: 0, most: 0 },
  options: { json: { summary: 'print {findings: [{check, level, message, hint}]}' } },
  run: checkUp,
}

async function checkUp(call: CommandCall, io: Io): Promise<number> {
  const findings = await examine(call.home, io)
  if (call.json) printJson(io, { findings })
  else for (const finding of findings) print(io, findingText(finding, io))
  return findings.some(({ level }) => level === 'problem') ? 1 : 0
}

const looks: Readonly<Record<Finding['level'], Look>> = { ok: 'green', warning: 'yellow', problem: 'red' }

function findingText({ check, level, message, hint }: Finding, io: Io): string {
  const line = `${styled(io, looks[level], level.padEnd(7))}  ${check.padEnd(13)}  ${harmless(withLocalTimes(message), io.stdout)}`
  return hint === undefined ? line : `${line}\n${' '.repeat(24)} ${hint}`
}
