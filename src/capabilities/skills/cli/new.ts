import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandCall, Io } from '../../../capability.ts'
import { CommandFailure, fileFailure, note, printJson, usageFailure, validConfiguration } from '../../../cli.ts'

/** Begins a skill that is valid as it stands. */
export async function newSkill(call: CommandCall, io: Io): Promise<number> {
  const name = call.words[1]!
  if (name.length > 64 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    throw usageFailure(
      `A skill cannot be named ${JSON.stringify(name)}.`,
      'A name has up to 64 lowercase letters, digits and single hyphens, such as `release-notes`.',
    )
  }
  const { skills } = await validConfiguration(call.home, io)
  const folder = join(skills.directory, name)
  const file = join(folder, 'SKILL.md')
  try {
    await mkdir(skills.directory, { recursive: true, mode: 0o700 })
    await mkdir(folder)
    await writeSkill(folder, file, skeleton(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileFailure(file, 'written', error)
    throw new CommandFailure('conflict', `there is something at ${folder} already.`, { hint: 'Choose another name.' })
  }
  if (call.json) printJson(io, { name, file })
  else note(io, `${file} is there to be filled in; \`foreword skills check\` says whether it follows the standard.`)
  return 0
}

/** Half a skill would be loaded: what could not be written as a whole is taken away again. */
async function writeSkill(folder: string, file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', flush: true })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function skeleton(name: string): string {
  const title = name.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase())
  return `---
name: ${name}
description: Say here what this skill does and when it is to be used; the model chooses by this text.
---

# ${title}

Say here, step by step, how it is done. Long material belongs into files beside this one, such as
\`references/details.md\`, which are read only when they are needed.
`
}
