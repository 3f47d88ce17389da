import { dirname, join } from 'node:path'
import { readerWithin } from '../../../capability.ts'
import type { TextReader } from '../../../tool.ts'
import type { SkillFolder } from './find-skill-folders.ts'
import { type FrontmatterRead, noFrontmatter } from './frontmatter.ts'
import { LONGEST_DESCRIPTION } from '../skills-text.ts'
import type { LeftSkill, Skill } from '../skill.ts'
import type { ToolFile, ToolFiles } from './tool-files.ts'
import { splitFrontmatter, stripFrontmatter } from './strip-frontmatter.ts'

/** What one folder came to. */
export interface SkillRead {
  readonly skill?: Omit<Skill, 'digest'>
  readonly left?: LeftSkill
  readonly warnings: readonly string[]
}

/** Reads one skill, and no link out of where it lies. Never rejects: what is wrong is a warning. */
export async function readSkillFolder(folder: SkillFolder, from: TextReader): Promise<SkillRead> {
  const { directory, path, root } = folder
  const read = readerWithin([path, topOf(root)], from)
  const file = join(path, 'SKILL.md')
  const ref = `${root.ref}/${directory}`
  const named = directory.normalize('NFC')
  const found = await read(file)
  if (found.type !== 'text') {
    const why = found.type === 'missing' ? 'its SKILL.md is a link that leads nowhere' : `its SKILL.md: ${found.why}`
    return { left: { name: named, folder: path, ref, code: 'unreadable', why }, warnings: [`${file}: ${whyOf(found)}`] }
  }
  const { fields, warnings } = await frontmatterOf(found.text)
  const tools = await readToolTexts(folder, read)
  const { name = named, description = '' } = fields
  return {
    skill: {
      name,
      description,
      body: stripFrontmatter(found.text),
      folder: path,
      ref,
      kind: root.kind,
      fields,
      toolFiles: tools.files,
    },
    warnings: [
      ...warnings.map((warning) => `${file}: ${warning}`),
      ...(description.length > LONGEST_DESCRIPTION
        ? [`${file}: description has ${description.length} characters; a list shows the first ${LONGEST_DESCRIPTION}`]
        : []),
      ...tools.warnings,
    ],
  }
}

/** All of the files that declare tools, or none and why. */
async function readToolTexts(
  { path, toolFiles }: SkillFolder,
  read: TextReader,
): Promise<{ readonly files: ToolFiles | undefined; readonly warnings: readonly string[] }> {
  const texts: { [Name in ToolFile]?: string } = {}
  const warnings: string[] = []
  for (const file of toolFiles) {
    const found = await read(join(path, file))
    if (found.type === 'text') texts[file] = found.text
    else warnings.push(`${join(path, file)}: ${whyOf(found)}; the skill is loaded without tools`)
  }
  const { 'tools.json': tools } = texts
  return { files: tools === undefined || warnings.length > 0 ? undefined : { ...texts, 'tools.json': tools }, warnings }
}

/** Folders of a root may share files; those of a workspace may share all of it. */
function topOf({ path, kind }: SkillFolder['root']): string {
  return kind === 'workspace' ? dirname(dirname(path)) : path
}

function whyOf(found: { readonly type: 'missing' } | { readonly type: 'unreadable'; readonly why: string }): string {
  return found.type === 'missing' ? 'it is a link that leads nowhere' : found.why
}

/** YAML is read only where there is some. */
async function frontmatterOf(text: string): Promise<FrontmatterRead> {
  if (!splitFrontmatter(text)) return { fields: noFrontmatter, warnings: [] }
  const { readFrontmatter } = await import('./read-frontmatter.ts')
  return readFrontmatter(text)
}
