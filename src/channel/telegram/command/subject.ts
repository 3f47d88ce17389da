import type { ChatCommand } from './command.ts'

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
    if (argument !== undefined) {
      await runtime.setSubject(session, argument)
      return `This session is about ${argument} from now on.`
    }
    const [chosen, subjects] = await Promise.all([
      runtime.store.session(session).then((row) => row?.subject),
      runtime.subjects.list(),
    ])
    if (subjects.length === 0) return 'There are no subjects yet. `foreword subjects new ID` makes one.'
    const lines = subjects
      .slice(0, MOST)
      .map(({ id, title }) => `${id === chosen ? '→' : '·'} ${id}${title === '' ? '' : `: ${title}`}`)
    const more = subjects.length > MOST ? [`… and ${subjects.length - MOST} more`] : []
    return [...lines, ...more, '', 'Choose one with /subject ID; /subject none chooses none.'].join('\n')
  },
}

/** Subjects of a list. */
const MOST = 30
