import type { Runtime } from '../../../runtime.ts'
import type { ChatCommand } from './command.ts'
import { meantBy } from './meant-by.ts'

export const subject: ChatCommand = {
  name: 'subject',
  summary: 'what this session is about, or choose it',
  argument: 'ID|none',
  async run({ runtime, binding, argument }) {
    const session = await runtime.sessionFor(binding)
    if (argument?.toLowerCase() === 'none') {
      await runtime.setSubject(session, undefined)
      return 'This session is about no subject of its own from now on.'
    }
    const [chosen, subjects] = await Promise.all([
      runtime.store.session(session).then((row) => row?.choices['subject']),
      runtime.subjects.list(),
    ])
    if (argument !== undefined) {
      const meant = meantBy(argument, subjects, ({ id, title }) => ({ id, name: title }))
      if (meant.length > 1) return [`Several subjects begin with ${argument}:`, ...listed(meant, chosen)].join('\n')
      const id = meant[0]?.id ?? argument
      await runtime.setSubject(session, id)
      return `This session is about ${id} from now on.`
    }
    if (subjects.length === 0) return 'There are no subjects yet. `foreword subjects new ID` makes one.'
    return [...listed(subjects, chosen), '', 'Choose one with /subject ID; /subject none chooses none.'].join('\n')
  },
}

type Listed = Awaited<ReturnType<Runtime['subjects']['list']>>

function listed(subjects: Listed, chosen: string | undefined): readonly string[] {
  const lines = subjects
    .slice(0, MOST)
    .map(({ id, title }) => `${id === chosen ? '→' : '·'} ${id}${title === '' ? '' : `: ${title}`}`)
  return subjects.length > MOST ? [...lines, `… and ${subjects.length - MOST} more`] : lines
}

/** Subjects of a list. */
const MOST = 30
