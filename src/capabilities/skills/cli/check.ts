import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { SkillFinding } from '../folder/skill-finding.ts'
import type { CommandCall, Io } from '../../../capability.ts'
import { exactLine, fileFailure, note, print, printJson, styled } from '../../../cli.ts'
import { knownSkills, programFinder } from './known-skills.ts'

/** Lints folders of skills against the Agent Skills standard: `file:line: message`. Exit code 1 where a rule is broken. */
export async function checkSkills(call: CommandCall, io: Io): Promise<number> {
  const { checkSkill } = await import('../folder/check-skill.ts')
  const { tokenx } = await import('../../../context.ts')
  const folders = await foldersOf(call, io)
  const findBinary = await programFinder(io)
  let errors = 0
  let notes = 0
  for (const folder of folders) {
    for (const finding of await checkSkill(resolve(folder), tokenx, { findBinary })) {
      if (finding.level === 'error') errors++
      else notes++
      tell(join(folder, finding.file), finding, call, io)
    }
  }
  if (!call.json) note(io, summary(folders.length, errors, notes))
  return errors === 0 ? 0 : 1
}

function tell(file: string, { line, level, message }: SkillFinding, call: CommandCall, io: Io): void {
  if (call.json) printJson(io, { file, line, level, message })
  else
    print(
      io,
      `${exactLine(file)}:${line}: ${styled(io, level === 'error' ? 'red' : 'dim', level)}: ${exactLine(message)}`,
    )
}

function summary(folders: number, errors: number, notes: number): string {
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? '' : 's'}`
  return `${count(folders, 'skill')} checked: ${count(errors, 'error')}, ${count(notes, 'note')}.`
}

/** The folders that were named, those in them where one is a folder of skills, or every skill there is. */
async function foldersOf(call: CommandCall, io: Io): Promise<readonly string[]> {
  const named = call.words.slice(1)
  if (named.length > 0) return (await Promise.all(named.map(skillsAt))).flat()
  const { skills, left } = await knownSkills(call, io)
  return [...new Set([...skills, ...left].map(({ folder }) => folder))].toSorted()
}

/** A folder that has folders of skills in it, and is none itself, stands for those. */
async function skillsAt(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw fileFailure(folder, 'read', error)
  })
  if (names.some((name) => name.toLowerCase() === 'skill.md')) return [folder]
  const within = await Promise.all(
    names.toSorted().map(async (name) => {
      const has = await stat(join(folder, name, 'SKILL.md')).catch(() => undefined)
      return has === undefined ? [] : [join(folder, name)]
    }),
  )
  return within.flat().length === 0 ? [folder] : within.flat()
}
