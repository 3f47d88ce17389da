import type { SlashCommandCall } from '../../../capability.ts'
import { findByName, usageFailure } from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import { type TemplateValue } from '../template-record.ts'
import { templateFields, fillTemplate } from '../template-fields.ts'
import { nearestHint } from '../../../platform.ts'

interface KeptTemplate {
  readonly id: string
  readonly value: TemplateValue
}

/** `/template` of a chat: the templates and their fields, or with a name the message that one becomes. */
export async function chatTemplate({ argument, ask }: Pick<SlashCommandCall, 'argument' | 'ask'>): Promise<string> {
  const { templates } = await ask<{ readonly templates: readonly KeptTemplate[] }>('/api/templates')
  const [name, ...given] = wordsOf(argument)
  if (name === undefined) return templates.length === 0 ? NONE : templates.map(lineOf).join('\n')
  const { value } = findByName(name, templates, ({ id, value: { name: own } }) => ({ id, name: own }), 'template')
  return templateMessage(value, given)
}

const NONE = 'No templates yet. Make one with `foreword templates new NAME --text TEXT`.'

function lineOf({ value: { name, text } }: KeptTemplate): string {
  const fields = templateFields(text).map(({ name: field, options = [] }) => {
    return options.length > 1 ? `${field}=${options.join('|')}` : `${field}=${options[0] ?? '…'}`
  })
  return [name, ...fields].map(exactLine).join('  ')
}

/** Words between blanks; `"topic=the tides"` and `topic="the tides"` are one. */
function wordsOf(argument: string): readonly string[] {
  return [...argument.matchAll(/(?:"[^"]*"|[^\s"])+/g)].map(([word]) => word.replaceAll('"', ''))
}

/** The message of a template, its fields filled from words such as `topic=tides`. Throws a usage failure where a field has no value, is not known, or cannot have that value. */
export function templateMessage(
  { name, text }: Pick<TemplateValue, 'name' | 'text'>,
  given: readonly string[],
): string {
  const values = Object.fromEntries(given.map(readValue))
  const fields = templateFields(text)
  const names = fields.map((field) => field.name)
  for (const [field, value] of Object.entries(values)) {
    const known = fields.find((each) => each.name === field)
    if (!known) throw usageFailure(`${name} has no field ${field}.`, nearestHint(field, names, fieldsHint(names)))
    const { options = [] } = known
    if (options.length > 1 && !options.includes(value)) {
      throw usageFailure(`${field} cannot be ${JSON.stringify(value)}.`, `Choose one of ${options.join(', ')}.`)
    }
  }
  const empty = fields.filter((field) => !field.options && !values[field.name]).map((field) => field.name)
  if (empty.length > 0) {
    const hint = `Add ${empty.map((field) => `"${field}=…"`).join(' ')}.`
    throw usageFailure(`Without a value: ${empty.join(', ')}.`, hint)
  }
  return fillTemplate(text, values)
}

function readValue(word: string): readonly [string, string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at).trim(), word.slice(at + 1)]
  throw usageFailure(`${word} is not FIELD=VALUE.`, 'Write `topic=tides`, in quotes where it has blanks.')
}

function fieldsHint(names: readonly string[]): string {
  return names.length === 0 ? 'It has no fields.' : `Its fields are ${names.join(', ')}.`
}
