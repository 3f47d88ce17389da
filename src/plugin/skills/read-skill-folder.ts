import { dirname, join } from 'node:path'
import { readerWithin } from '../reader-within.ts'
import type { TextReader } from '../text-reader.ts'
import type { SkillFolder } from './find-skill-folders.ts'
import { type FrontmatterRead, noFrontmatter } from './frontmatter.ts'
import { LONGEST_DESCRIPTION } from './skills-text.ts'
import type { LeftSkill, Skill } from './skill.ts'
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
  const tools = folder.hasTools ? await read(join(path, 'tools.json')) : undefined
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
      toolsJson: tools?.type === 'text' ? tools.text : undefined,
    },
    warnings: [
      ...warnings.map((warning) => `${file}: ${warning}`),
      ...(description.length > LONGEST_DESCRIPTION
        ? [`${file}: description has ${description.length} characters; a list shows the first ${LONGEST_DESCRIPTION}`]
        : []),
      ...(tools && tools.type !== 'text'
        ? [`${join(path, 'tools.json')}: ${whyOf(tools)}; the skill is loaded without tools`]
        : []),
    ],
  }
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
