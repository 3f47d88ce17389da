import type { AnyCapability, Command, GatewayConnection, Io } from '../../capability.ts'
import { apiPath, requestJson } from '../answer.ts'
import { isInteractive } from '../approval/asking.ts'
import { attachNamed } from '../attach/attach.ts'
import { openChat } from '../chat/conversation.ts'
import { slashHelp } from '../chat/slash-command.ts'
import { withConnection } from '../connection.ts'
import { CommandFailure, refuseTools } from '../failure.ts'
import { redirectable } from '../io.ts'
import { withHomeCapabilities } from '../load-configuration.ts'
import { rawOption } from '../turn-display.ts'
import type { ListedSession } from '../sessions/session-table.ts'
import { choiceOptions, choiceUsage, readChoices, sessionWithChoices } from '../session-choices.ts'

export const chatCommand = (capabilities: readonly AnyCapability[]): Command => ({
  name: 'chat',
  group: 'talk',
  summary: 'chat in the terminal',
  usage: [
    ['chat [--session ID] [--model ID]', choiceUsage({ capabilities }), '[--file PATH]…'].filter(Boolean).join(' '),
  ],
  details:
    'Enter sends. Shift-Enter, Alt-Enter, or a backslash before Enter begins a new line. Pasted text stays in one piece. What you ' +
    'write while an answer streams is queued; Up takes it back. @NAME attaches a file of the working directory. Tab ' +
    'completes names; Up and Ctrl-R find earlier messages. Ctrl-C stops the turn, and pressed twice leaves; Ctrl-D leaves. Without a ' +
    `terminal, each line of the input is a message. Commands in the chat:\n${slashHelp(capabilities, Infinity)}`,
  words: { least: 0, most: 0 },
  options: {
    session: { value: 'ID', summary: 'continue this session (default: a new session)' },
    model: { value: 'ID', summary: 'the model of this session' },
    ...choiceOptions({ capabilities }),
    file: { value: 'PATH', summary: 'attach a file to the first message, as `send` does; repeatable' },
    raw: rawOption,
  },
  async run(call, given) {
    const own = await withHomeCapabilities(call.home, given)
    const beside = redirectable(own.stderr)
    const io: Io = { ...own, stderr: beside.output }
    return await withConnection(call.home, io, 'write', async (connection) => {
      const chosen = await readChoices(connection, call, io)
      if (Object.keys(chosen).length > 0) refuseTools(io, 'change what a session has chosen')
      const session = await sessionWithChoices(connection, call.text('session'), chosen)
      if (session !== undefined) await refuseForeignSession(connection, session)
      const conversation = await openChat(connection, { session, model: call.text('model'), raw: call.has('raw') })
      conversation.attachments = await attachNamed(connection, call.texts('file'), session, io)
      // Only a terminal needs the editor and its library, so nothing else waits until they are loaded.
      if (!hasEditor(io)) return await (await import('../chat/talk-by-lines.ts')).chatByLines(conversation, call, io)
      return await (await import('../chat/talk-in-editor.ts')).chatInEditor(conversation, call, io, beside)
    })
  },
})

/** The editor does not open where nothing can be sent. */
async function refuseForeignSession(connection: GatewayConnection, session: string): Promise<void> {
  const { program } = await requestJson<ListedSession>(connection, apiPath('/api/sessions/', session))
  if (program === undefined) return
  throw new CommandFailure(
    'invalid-input',
    `This session belongs to ${program.name}: its calls are recorded here, and only that program continues it.`,
    { hint: `Continue it in ${program.name}. \`foreword calls ${session}\` shows its calls.` },
  )
}

/** A dumb terminal cannot move its cursor. */
function hasEditor(io: Io): boolean {
  return isInteractive(io) && io.environment.TERM !== 'dumb'
}
