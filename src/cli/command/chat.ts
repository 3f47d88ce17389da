import { personIsHere } from '../approval/asking.ts'
import type { Command } from '../command.ts'
import { redirected } from '../chat/redirected.ts'
import { connected } from '../connection.ts'
import { opened } from '../conversation.ts'
import { attachNamed } from '../../capabilities/files/cli/attach.ts'
import { refuseTools } from '../for-persons.ts'
import type { Io } from '../io.ts'
import { sessionWith, settingOf } from '../session-setting.ts'
import { slashHelp } from '../slash-command.ts'

export const chat: Command = {
  name: 'chat',
  summary: 'talk in the terminal',
  usage: ['chat [--session ID] [--model ID] [--agent ID] [--project ID] [--subject ID] [--file PATH]…'],
  details:
    'Enter sends. Shift-Enter, Alt-Enter, or a backslash before Enter begins a new line; what is pasted is one text. What is ' +
    'written while an answer comes is queued, and Up takes it back. @NAME attaches a file of the working directory, Tab ' +
    'completes names, Up and Ctrl-R find what was typed before. Ctrl-C stops the turn, twice leaves; Ctrl-D leaves. From a ' +
    `pipe each line is a message. In the chat:\n${slashHelp(Infinity)}`,
  words: { least: 0, most: 0 },
  options: {
    session: { value: 'ID', summary: 'continue this session (a new one otherwise)' },
    model: { value: 'ID', summary: 'the model of this session' },
    agent: { value: 'ID', summary: 'the custom agent of this session, by its id or name' },
    project: { value: 'ID', summary: 'the project of this session, by its id or name' },
    subject: { value: 'ID', summary: 'the subject that this session is about' },
    file: { value: 'PATH', summary: 'attach a file to the first message; may be repeated' },
  },
  run: (call, own) => {
    const beside = redirected(own.stderr)
    const io: Io = { ...own, stderr: beside.output }
    return connected(call.home, io, 'write', async (connection) => {
      if (call.has('agent') || call.has('project')) refuseTools(io, 'choose who answers in a session')
      if (call.has('subject')) refuseTools(io, 'choose what a session is about')
      const session = await sessionWith(connection, call.text('session'), await settingOf(connection, call))
      const conversation = await opened(connection, { session, model: call.text('model') })
      conversation.attachments = await attachNamed(connection, call.texts('file'), session, io)
      // The editor and its library are for a terminal alone: nothing else waits until they are loaded.
      if (!hasEditor(io)) return await (await import('../chat/talk-by-lines.ts')).talkByLines(conversation, call, io)
      return await (await import('../chat/talk-in-editor.ts')).talkInEditor(conversation, call, io, beside)
    })
  },
}

/** A dumb terminal cannot move its cursor. */
function hasEditor(io: Io): boolean {
  return personIsHere(io) && io.environment.TERM !== 'dumb'
}
