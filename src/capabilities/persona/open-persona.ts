import { z } from 'zod'
import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser'
import type { Layer } from '../../context.ts'
import { textLayer } from '../../capability.ts'
import { readText, type TextReader } from '../../tool.ts'

interface PersonaOptions {
  readonly soulFile: string
  readonly userProfileFile: string
  /** A missing file is then a warning and a blank layer, as in the preset `ayati`. */
  readonly expected?: boolean
  readonly read?: TextReader
}

/** Layers `soul` and `user-profile`. A file that is missing or wrong gives an empty layer and a warning, never a crash. */
export async function openPersona({ soulFile, userProfileFile, expected = false, read = readText }: PersonaOptions) {
  const opened = {
    layers: [] as readonly Layer[],
    warnings: [] as readonly string[],
    async reload(): Promise<void> {
      const sources = await Promise.all([
        source('soul', soulFile, 'context/soul.json', soulSchema, soulText),
        source('user-profile', userProfileFile, 'context/user_profile.json', userProfileSchema, userProfileText),
      ])
      opened.layers = sources.flatMap(({ layers }) => layers)
      opened.warnings = sources.flatMap(({ warnings }) => warnings)
    },
  }

  async function source<Value>(
    layer: string,
    file: string,
    ref: string,
    schema: z.ZodType<Value>,
    toText: (value: Value) => string,
  ) {
    const found = await read(file)
    const blank = [textLayer(layer, '', ref)]
    if (found.type === 'missing') {
      return expected ? { layers: blank, warnings: [`${ref} is missing`] } : { layers: [], warnings: [] }
    }
    const json = found.type === 'text' ? parseJson(found.text, schema) : { faults: [found.why] }
    if ('value' in json) return { layers: [textLayer(layer, toText(json.value), ref)], warnings: [] }
    return { layers: blank, warnings: json.faults.map((fault) => `${ref} is not used: ${fault}`) }
  }

  await opened.reload()
  return opened
}

/** Faults name a position or a field, never its content. */
function parseJson<Value>(
  text: string,
  schema: z.ZodType<Value>,
): { readonly value: Value } | { readonly faults: readonly string[] } {
  const errors: ParseError[] = []
  const json: unknown = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) {
    const before = text.slice(0, error.offset).split('\n')
    const position = `line ${before.length}, column ${before.at(-1)!.length + 1}`
    return { faults: [`no JSON at ${position} (${printParseErrorCode(error.error)})`] }
  }
  const checked = schema.safeParse(json)
  if (checked.success) return { value: checked.data }
  return { faults: checked.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`) }
}

const optionalText = z.string().nullish()
const optionalList = z.array(z.string()).nullish()

/** `soul.json`: who the agent is and how it speaks (BEHAVIOURS §2.1). Fields may be missing; others are ignored. */
const soulSchema = z.object({
  version: z.union([z.string(), z.number()]).nullish(),
  soul: z
    .object({ name: optionalText, identity: optionalText, personality: optionalList, values: optionalList })
    .nullish(),
  voice: z.object({ tone: optionalList, style: optionalList, quirks: optionalList, never_do: optionalList }).nullish(),
})

export type Soul = z.infer<typeof soulSchema>

export function soulText({ soul, voice }: Soul): string {
  return joined(
    section(
      '# Soul',
      labelled('Name', soul?.name),
      (soul?.identity ?? '').replaceAll(/^([ \t]*)(?=#)/gm, '$1\\'),
      section('## Personality', bullets(soul?.personality ?? [])),
      section('## Values', bullets(soul?.values ?? [])),
    ),
    section(
      '# Voice',
      section('## Tone', bullets(voice?.tone ?? [])),
      section('## Style', bullets(voice?.style ?? [])),
      section('## Quirks', bullets(voice?.quirks ?? [])),
      section('## Never Do', bullets(voice?.never_do ?? [])),
    ),
  )
}

/** `user_profile.json`: whom the agent talks to (BEHAVIOURS §2.1). Fields may be missing; others are ignored. */
const userProfileSchema = z.object({
  name: optionalText,
  nickname: optionalText,
  occupation: optionalText,
  location: optionalText,
  active_hours: optionalText,
  languages: optionalList,
  interests: optionalList,
  facts: optionalList,
  people: optionalList,
  projects: optionalList,
  communication: z
    .object({
      formality: optionalText,
      verbosity: optionalText,
      humor_receptiveness: optionalText,
      emoji_usage: optionalText,
    })
    .nullish(),
  emotional_patterns: z
    .object({ mood_baseline: optionalText, stress_triggers: optionalList, joy_triggers: optionalList })
    .nullish(),
})

export type UserProfile = z.infer<typeof userProfileSchema>

/** The layer's text: the content of the file alone, never a time of writing or of last contact. */
export function userProfileText(profile: UserProfile): string {
  const { communication, emotional_patterns: patterns } = profile
  return section(
    '# User Profile',
    section(
      '## Identity',
      bullets([
        labelled('Name', profile.name),
        labelled('Nickname', profile.nickname),
        labelled('Occupation', profile.occupation),
        labelled('Location', profile.location),
        labelled('Active Hours', profile.active_hours),
      ]),
    ),
    section('## Languages', bullets(profile.languages ?? [])),
    section('## Interests', bullets(profile.interests ?? [])),
    section('## Known Facts', bullets(profile.facts ?? [])),
    section('## People', bullets(profile.people ?? [])),
    section('## Projects', bullets(profile.projects ?? [])),
    section(
      '## Communication',
      bullets([
        labelled('Formality', communication?.formality),
        labelled('Verbosity', communication?.verbosity),
        labelled('Humor Receptiveness', communication?.humor_receptiveness),
        labelled('Emoji Usage', communication?.emoji_usage),
      ]),
    ),
    section(
      '## Emotional Patterns',
      bullets([
        labelled('Mood Baseline', patterns?.mood_baseline),
        ...(patterns?.stress_triggers ?? []).map((trigger) => labelled('Stress Trigger', trigger)),
        ...(patterns?.joy_triggers ?? []).map((trigger) => labelled('Joy Trigger', trigger)),
      ]),
    ),
  )
}

function section(heading: string, ...paragraphs: readonly string[]): string {
  const content = joined(...paragraphs)
  return content === '' ? '' : `${heading}\n\n${content}`
}

function joined(...paragraphs: readonly string[]): string {
  return paragraphs
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .join('\n\n')
}

/** A line break within an item becomes a space, so that no item can forge a line (BEHAVIOURS §2.1). */
function bullets(items: readonly string[]): string {
  return items
    .map(oneLine)
    .filter((item) => item !== '')
    .map((item) => `- ${item}`)
    .join('\n')
}

function labelled(label: string, value: string | null | undefined): string {
  const line = oneLine(value ?? '')
  return line === '' ? '' : `${label}: ${line}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\n\r\v\f\u0085\u2028\u2029]\s*/g, ' ').trim()
}
