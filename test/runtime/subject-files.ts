import { SubjectError, type SubjectFile, type Subjects } from '../../src/capabilities/subjects/core/subjects.ts'

/** Files of subjects in memory, with a hand that edits them at a bad moment. */
export interface SubjectFiles extends Pick<Subjects, 'text' | 'notes' | 'replace'> {
  /** By `notes:ID` and `taste:NAME`. */
  readonly files: Map<string, string>
  /** Called before each replacement; awaited. */
  beforeReplace?: (() => unknown) | undefined
  /** Called after each replacement; awaited. */
  afterReplace?: (() => unknown) | undefined
}

/** Notes of subjects that there are, by id. */
export function subjectFiles(notes: Readonly<Record<string, string>> = { tide: '' }): SubjectFiles {
  const files = new Map(Object.entries(notes).map(([id, whole]) => [`notes:${id}`, whole]))

  async function text(file: SubjectFile): Promise<string> {
    const found = files.get(keyOf(file))
    if (found === undefined && file.type === 'notes') throw noSuchSubject(file.subject)
    return found ?? ''
  }

  const here: SubjectFiles = {
    files,
    text,
    async notes(id) {
      const whole = await text({ type: 'notes', subject: id })
      return { text: whole, offset: 0, lines: 0, total: 0, next_offset: null }
    },
    async replace(file, change) {
      await here.beforeReplace?.()
      if ((await text(file)) !== change.before)
        throw new SubjectError('changed', `${keyOf(file)} was edited meanwhile.`)
      files.set(keyOf(file), change.text)
      await here.afterReplace?.()
    },
  }
  return here
}

function keyOf(file: SubjectFile): string {
  return file.type === 'notes' ? `notes:${file.subject}` : `taste:${file.name}`
}

function noSuchSubject(id: string): SubjectError {
  return new SubjectError('not-found', `There is no subject ${id}.`)
}
