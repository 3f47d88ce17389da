import type { Comparison, Manifest } from '../../../src/context.ts'

interface Compared {
  readonly manifest: Manifest
  /** What the model read of each candidate, by layer and id. */
  readonly texts: ReadonlyMap<string, string>
}

/** Why the second of two calls begins otherwise than the first, in a sentence: what a person did or what happened. */
export function causeOf({ firstDifference: first }: Comparison, before: Compared, after: Compared): string {
  const [old, now] = [before.manifest, after.manifest]
  if (old.model !== now.model)
    return `Another model was chosen: ${old.model ?? 'none'} before, ${now.model ?? 'none'} now.`
  if (first === undefined) return 'The two requests are the same.'
  if (old.layout !== now.layout) return `Another layout was chosen: ${old.layout} before, ${now.layout} now.`
  const { id, slot, cause } = first
  const find = ({ entries }: Manifest) => entries.find((entry) => entry.id === id && entry.slot === slot)
  const entry = find(now) ?? find(old)
  if (slot === 'tools') return toolCause(id, cause)
  if (cause === 'grew') return 'The conversation went on. Everything before that is as it was.'
  if (cause === 'shrank') return 'The later request ends earlier: what stood at its end is gone.'
  if (slot === 'history' || slot === 'input') return historyCause(id, cause, old, now)
  const layer = entry?.layer ?? id
  if (cause === 'form') {
    const change = `${find(old)?.form ?? 'another form'} before, ${find(now)?.form ?? 'left out'} now`
    return `${capital(nameOf(layer))} is sent in another form: ${change}. The room that it may use has changed.`
  }
  if (cause === 'moved') return `${capital(nameOf(layer))} stands beside the newest message and moves along with it.`
  const key = `${layer} ${id}`
  if (cause === 'content' && onlyDateDiffers(before.texts.get(key), after.texts.get(key))) {
    return 'Midnight has passed: the date that the model is told is another one.'
  }
  const { came, went, content } = happened[layer] ?? usual(layer)
  return cause === 'came' ? came : cause === 'went' ? went : content
}

interface Happened {
  readonly came: string
  readonly went: string
  readonly content: string
}

/** What people do that changes a layer, by its name. */
const happened: Readonly<Record<string, Happened>> = {
  'system-prompt': {
    came: 'A system prompt was written.',
    went: 'The system prompt was taken away.',
    content: 'The system prompt was edited, or another one was chosen.',
  },
  instructions: {
    came: 'AGENTS.md was written.',
    went: 'AGENTS.md was taken away.',
    content: 'AGENTS.md was edited.',
  },
  skills: {
    came: 'A first skill was installed or enabled.',
    went: 'The last skill was removed or disabled.',
    content: 'A skill was added, edited or removed.',
  },
  'tool-guidance': {
    came: 'A tool with instructions was allowed.',
    went: 'A tool with instructions is no longer allowed.',
    content: 'Another tool with instructions was allowed, or the instructions of one changed.',
  },
  'custom-agent': {
    came: 'An agent, or a project with instructions, was chosen.',
    went: 'The agent or the project is no longer chosen.',
    content: 'Another agent or project was chosen, or its instructions were edited.',
  },
  project: {
    came: 'A project was chosen, or a file was added to it.',
    went: 'The project is no longer chosen, or its files were removed.',
    content: 'Another project was chosen, or its files changed.',
  },
  subject: {
    came: 'A subject was chosen.',
    went: 'The subject is no longer chosen.',
    content: 'Another subject was chosen, or its notes changed.',
  },
  soul: usual('soul', 'the soul'),
  'user-profile': usual('user-profile', 'the user profile'),
  memory: usual('memory', 'what is remembered of earlier sessions'),
}

function usual(layer: string, name = nameOf(layer)): Happened {
  return {
    came: `${capital(name)} is sent now and was not before.`,
    went: `${capital(name)} is no longer sent.`,
    content: `${capital(name)} was edited.`,
  }
}

function toolCause(tool: string, cause: string): string {
  if (cause === 'came') return `The tool ${tool} is offered now: it was allowed, or its server was connected.`
  if (cause === 'went') return `The tool ${tool} is no longer offered.`
  if (cause === 'moved') return `The tool ${tool} stands at another place.`
  return `The definition of the tool ${tool} changed.`
}

function historyCause(id: string, cause: string, old: Manifest, now: Manifest): string {
  if (
    now.entries.some(({ reason }) => reason?.code === 'undone') &&
    !old.entries.some(({ reason }) => reason?.code === 'undone')
  ) {
    return 'A turn was taken back.'
  }
  if (JSON.stringify(old.cut) !== JSON.stringify(now.cut)) {
    const left = now.entries.filter(({ slot, outcome }) => slot === 'history' && outcome === 'omitted').length
    return `The history was cut to make room${left > 0 ? `: ${left} of its parts are left out now` : ''}.`
  }
  if (cause === 'went') return `${id} no longer fits and is left out.`
  if (cause === 'form') return `${id} is sent in a shorter form, to make room.`
  return 'The conversation went on. Everything before that is as it was.'
}

function nameOf(layer: string): string {
  return `the layer ${layer}`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function onlyDateDiffers(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined || before === after) return false
  return withoutDate(before) === withoutDate(after)
}

function withoutDate(text: string): string {
  return text.replaceAll(/(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, )?\d{4}-\d{2}-\d{2}(?:, \d{2}:\d{2})?/g, '…')
}
