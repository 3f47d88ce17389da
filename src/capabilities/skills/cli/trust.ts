import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandCall, Io } from '../../../capability.ts'
import { CommandFailure, exactLine, fileFailure, note, printJson, validConfiguration } from '../../../cli.ts'

/** Lets the skills of a workspace be loaded: adds its folder to `skills.trustedDirs`. */
export async function trustSkills(call: CommandCall, io: Io): Promise<number> {
  const { loadSkills } = await import('../folder/load-skills.ts')
  const { skillRoots } = await import('../folder/skill-roots.ts')
  const configuration = await validConfiguration(call.home, io)
  const { agent, skills } = configuration
  const workspace = await folderAt(call.words[1] ?? agent.workspace)
  const roots = await skillRoots({ ...skills, home: call.home, workspace })
  const root = roots.at(-1)!
  const isNew = root.trusted === false
  if (isNew) await write(call.home, [...skills.trustedDirs, workspace], io)
  const found = await loadSkills({ roots: [{ ...root, trusted: true }], findBinary: () => Promise.resolve(true) })
  const names = found.skills.map(({ name }) => name)
  if (call.json) {
    printJson(io, { folder: workspace, added: isNew, skills: names })
    return 0
  }
  note(io, isNew ? `${workspace} is trusted. It takes effect at the next start.` : `${workspace} was trusted already.`)
  note(io, names.length === 0 ? `There is no skill in ${join(workspace, '.agents', 'skills')} yet.` : skillsText(names))
  if (workspace !== (await realpath(agent.workspace).catch(() => agent.workspace))) {
    note(io, `The workspace is ${agent.workspace}; \`foreword config set agent.workspace\` changes it.`)
  }
  return 0
}

function skillsText(names: readonly string[]): string {
  return `${names.length === 1 ? 'One skill' : `${names.length} skills`} there: ${names.map(exactLine).join(', ')}.`
}

async function folderAt(path: string): Promise<string> {
  try {
    const folder = await realpath(path)
    if ((await stat(folder)).isDirectory()) return folder
  } catch (error) {
    throw fileFailure(path, 'read', error)
  }
  throw new CommandFailure('file', `${path} is not a folder.`)
}

async function write(home: string, folders: readonly string[], { capabilities = [] }: Io): Promise<void> {
  const { ConfigurationError, configurationSchema, setValue } = await import('../../../runtime.ts')
  try {
    await setValue({ home, schema: configurationSchema(capabilities), key: 'skills.trustedDirs', value: folders })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new CommandFailure('configuration', error.message, { cause: error })
  }
}
