import {
  addNeutralized,
  type Layout,
  type NeutralizedSigns,
  neutralLine,
  neutralText,
  wholeCharacter,
} from '../../context.ts'
import type { Skill } from './skill.ts'

/** What a prompt has of a skill. */
export type SkillWords = Pick<Skill, 'name' | 'description' | 'body'>

/** The longest description that a list shows whole, characters: the limit of the Agent Skills standard. */
export const LONGEST_DESCRIPTION = 1_024

/**
 * A skill among the words of the operator: nothing in it works on its own, and its name and description are one line
 * each that begins no block. `found`: what was written out. With `lines`, a body that no list shows stays as it is.
 */
export function neutralSkill<Words extends SkillWords>(
  skill: Words,
  parts: 'whole' | 'lines' = 'whole',
): { readonly skill: Words; readonly found: NeutralizedSigns } {
  const name = neutralLine(skill.name)
  const description = neutralLine(skill.description)
  const isShown = parts === 'whole' || skill.description.trim() === ''
  const body = isShown ? neutralText(skill.body) : { text: skill.body, found: {} }
  return {
    skill: { ...skill, name: name.text, description: description.text, body: body.text },
    found: addNeutralized([name.found, description.found, body.found]),
  }
}

export function sentSkill<Words extends SkillWords>(skill: Words, { skills }: Layout): Words {
  return skills.neutralizes ? neutralSkill(skill).skill : skill
}

/** Every skill with its whole body (BEHAVIOURS §1.3, `full`). Empty where there are none. */
export function skillsFullText(skills: readonly SkillWords[]): string {
  if (skills.length === 0) return ''
  return `You have access to the following skills. Use them when relevant.\n\n${skills.map(skillFullText).join('')}`
}

export function skillFullText({ name, description, body }: SkillWords): string {
  return `## ${name}\n${description.trim() === '' ? '' : `${description}\n\n`}${body}\n\n`
}

/**
 * A line for each skill, to be read on demand (BEHAVIOURS §1.3, `readOnDemand`). With `summaries`, a skill without a
 * description is described by the beginning of its body. Empty if there are none.
 */
export function skillsListText(skills: readonly SkillWords[], summaries = false): string {
  if (skills.length === 0) return ''
  return (
    "You have access to the following skills. Use the read_skill tool to load a skill's full documentation when it " +
    `clearly applies to the user's request.\n\n## Available skills\n\n${skills.map((skill) => skillLine(skill, summaries)).join('')}`
  )
}

/**
 * The names alone, for a head without room for the list; none where the schema of `read_skill` has them (`inSchema`).
 */
export function skillsNamesText(skills: readonly SkillWords[], inSchema: boolean): string {
  if (inSchema) {
    return "Use the read_skill tool to read one of the skills in its schema when its name fits the user's request.\n"
  }
  const names = skills.map(({ name }) => name).join(', ')
  return `Use the read_skill tool to read one of these skills when its name fits the user's request: ${names}\n`
}

export function skillsSearchText({ length }: readonly SkillWords[]): string {
  const are = length === 1 ? 'One skill is' : `${length} skills are`
  return `${are} installed. Before specialised work, use find_skill to look for one, then read_skill to read it.\n`
}

/** The line of one skill. A description cannot begin another line. */
export function skillLine(skill: SkillWords, summaries = false): string {
  const text = summaries || skill.description.trim() !== '' ? skillSummary(skill) : ''
  return `- **${skill.name}**: ${text === '' ? '(no description)' : text}\n`
}

/** What a skill is for, on one line: its description, else the first heading or sentence of its body (BEHAVIOURS §1.1). */
export function skillSummary({ description, body }: Pick<Skill, 'description' | 'body'>): string {
  const words = description.trim() === '' ? firstWords(body) : description
  const line = /[\r\n\u0085\u2028\u2029\v\f]/.test(words) ? words.replaceAll(/\s+|\u0085/g, ' ') : words
  return shortenText(line.trim())
}

/** The longest first sentence that is used, characters. */
const LONGEST_FIRST_WORDS = 200

function firstWords(body: string): string {
  const lines = body
    .slice(0, 10_000)
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')
    .split(/\r?\n/)
  const at = lines.findIndex((line) => /[\p{L}\p{N}]/u.test(line) && !/^\s*(?:```|~~~|!?\[!?\[|!\[)/.test(line))
  if (at < 0) return ''
  const heading = /^ {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$/.exec(lines[at]!)?.[1]
  if (heading !== undefined) return heading
  const end = lines.findIndex(
    (line, index) => index > at && (line.trim() === '' || /^\s*(?:#|[-*+>|]|\d+[.)]|```)/.test(line)),
  )
  const paragraph = lines
    .slice(at, end < 0 ? lines.length : end)
    .join(' ')
    .replace(/^\s*(?:[-*+>]|\d+[.)])\s+/, '')
  const [sentence = ''] = /^.*?[.!?。！？](?=\s|$)|^.*/s.exec(paragraph) ?? []
  return sentence.length > LONGEST_FIRST_WORDS ? `${sentence.slice(0, LONGEST_FIRST_WORDS - 1).trimEnd()}…` : sentence
}

function shortenText(text: string): string {
  if (text.length <= LONGEST_DESCRIPTION) return text
  return `${text.slice(0, wholeCharacter(text, LONGEST_DESCRIPTION)).trimEnd()}…`
}
