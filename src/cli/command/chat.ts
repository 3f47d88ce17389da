import type { AnyCapability, Command, Io } from '../../capability.ts'
import { isInteractive } from '../approval/asking.ts'
import { attachNamed } from '../attach/attach.ts'
import { openChat } from '../chat/conversation.ts'
import { slashHelp } from '../chat/slash-command.ts'
import { connected } from '../connection.ts'
import { refuseTools } from '../failure.ts'
import { redirected } from '../io.ts'
import { choiceOptions, choiceUsage, readChoices, sessionWith } from '../session-choices.ts'

export const chatCommand = (capabilities: readonly AnyCapability[]): Command => ({
  name: 'chat',
  summary: 'talk in the terminal',
  usage: [['chat [--session ID] [--model ID]', choiceUsage(capabilities), '[--file PATH]…'].filter(Boolean).join(' ')],
  details:
    'Enter sends. Shift-Enter, Alt-Enter, or a backslash before Enter begins a new line; what is pasted is one text. What is ' +
    'written while an answer comes is queued, and Up takes it back. @NAME attaches a file of the working directory, Tab ' +
    'completes names, Up and Ctrl-R find what was typed before. Ctrl-C stops the turn, twice leaves; Ctrl-D leaves. From a ' +
    `pipe each line is a message. In the chat:\n${slashHelp(capabilities, Infinity)}`,
  words: { least: 0, most: 0 },
  options: {
    session: { value: 'ID', summary: 'continue this session (a new one otherwise)' },
    model: { value: 'ID', summary: 'the model of this session' },
    ...choiceOptions(capabilities),
    file: { value: 'PATH', summary: 'attach a file to the first message; may be repeated' },
  },
  run: (call, own) => {
    const beside = redirected(own.stderr)
    const io: Io = { ...own, stderr: beside.output }
    return connected(call.home, io, 'write', async (connection) => {
      const chosen = await readChoices(connection, call, io.capabilities)
      if (Object.keys(chosen).length > 0) refuseTools(io, 'choose for a session')
      const session = await sessionWith(connection, call.text('session'), chosen)
      const conversation = await openChat(connection, { session, model: call.text('model') })
      conversation.attachments = await attachNamed(connection, call.texts('file'), session, io)
      // The editor and its library are for a terminal alone: nothing else waits until they are loaded.
      if (!hasEditor(io)) return await (await import('../chat/talk-by-lines.ts')).chatByLines(conversation, call, io)
      return await (await import('../chat/talk-in-editor.ts')).chatInEditor(conversation, call, io, beside)
    })
  },
})

/** A dumb terminal cannot move its cursor. */
function hasEditor(io: Io): boolean {
  return isInteractive(io) && io.environment.TERM !== 'dumb'
}
