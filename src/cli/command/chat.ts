import { askingThrough, personIsHere } from '../approval/asking.ts'
import { personWatch } from '../approval/person-watch.ts'
import { absentWatch } from '../approval/watch.ts'
import { readHistory, writeHistory } from '../chat-history.ts'
import type { Command, CommandCall } from '../command.ts'
import { connected } from '../connection.ts'
import { type Conversation, converse, opened } from '../conversation.ts'
import { attach } from '../files/attach.ts'
import { refuseTools } from '../for-persons.ts'
import { leave, onInterrupt } from '../interrupt.ts'
import { type Io, note, print } from '../io.ts'
import { type LineReader, lineReader } from '../line-reader.ts'
import { sessionWith, settingOf } from '../session-setting.ts'
import { styled } from '../style.ts'
import { slashCommand, slashHelp } from '../slash-command.ts'
import { WAITING } from '../turn-end.ts'

export const chat: Command = {
  name: 'chat',
  summary: 'talk in the terminal',
  usage: ['chat [--session ID] [--model ID] [--agent ID] [--project ID] [--subject ID] [--file PATH]…'],
  details: `Each line is a message; one that ends with a backslash goes on in the next line. Ctrl-C cancels the turn, twice leaves. In the chat:\n${slashHelp}`,
  words: { least: 0, most: 0 },
  options: {
    session: { value: 'ID', summary: 'go on in this session (a new one otherwise)' },
    model: { value: 'ID', summary: 'the model of this session' },
    agent: { value: 'ID', summary: 'the custom agent of this session, by its id or name' },
    project: { value: 'ID', summary: 'the project of this session, by its id or name' },
    subject: { value: 'ID', summary: 'the subject that this session is about' },
    file: { value: 'PATH', summary: 'attach a file to the first message; may be repeated' },
  },
  run: (call, io) =>
    connected(call.home, io, 'write', async (connection) => {
      if (call.has('agent') || call.has('project')) refuseTools(io, 'choose who answers in a session')
      if (call.has('subject')) refuseTools(io, 'choose what a session is about')
      const session = await sessionWith(connection, call.text('session'), await settingOf(connection, call))
      const conversation = await opened(connection, { session, model: call.text('model') })
      conversation.attachments = await attach(connection, call.texts('file'), session, io)
      return await talk(conversation, call, io)
    }),
}

async function talk(conversation: Conversation, call: CommandCall, io: Io): Promise<number> {
  let interrupts = 0
  const reader = lineReader(io, {
    history: readHistory(call.home),
    onHistory: (history) => writeHistory(call.home, history),
    onInterrupt: interrupted,
  })
  const stop = onInterrupt(io, interrupted)
  const { connection } = conversation
  const watch = personIsHere(io) ? personWatch(connection, io, askingThrough(reader)) : absentWatch(connection, io)
  let failed = false

  function interrupted(): void {
    interrupts += 1
    if (interrupts > 1) {
      note(io, '')
      return leave(io, 130)
    }
    if (conversation.running !== undefined) return void conversation.cancel().catch(() => {})
    note(io, '\nCtrl-C once more leaves.')
    reader.again()
  }

  try {
    if (io.stdin.isTTY === true) print(io, styled(io, 'dim', await greeting(conversation)))
    for (;;) {
      const line = await nextMessage(reader)
      if (line === undefined || line.trim() === '/quit') return failed && io.stdin.isTTY !== true ? 1 : 0
      interrupts = 0
      if (line.trim() === '') continue
      const result = await slashCommand(line, conversation, io)
      const came = result.type === 'message' ? await converse(conversation, result.text, watch, io) : result.type
      if (came === 'waiting') return WAITING
      failed ||= came === 'failed'
      interrupts = 0
    }
  } finally {
    stop()
    reader.close()
  }
}

/** A line that ends with a backslash goes on in the next one. */
async function nextMessage(reader: LineReader): Promise<string | undefined> {
  let message = await reader.next('> ')
  while (message?.endsWith('\\')) {
    const more = await reader.next('… ')
    message = `${message.slice(0, -1)}\n${more ?? ''}`
  }
  return message
}

async function greeting(conversation: Conversation): Promise<string> {
  const model = await conversation.model()
  return `${model}. /help lists what can be asked for, Ctrl-D leaves.`
}
