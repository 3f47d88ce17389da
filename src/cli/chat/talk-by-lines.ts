import { questionerOver, isInteractive } from '../approval/asking.ts'
import { personWatch, unattendedWatch } from '../approval/watch.ts'
import { addToHistory, readHistory } from './chat-history.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { type Chat, sendMessage } from './conversation.ts'
import { signalExitCode, exitNow, onInterrupt } from '../interrupt.ts'
import { note, print } from '../io.ts'
import { lineReader } from '../line-reader.ts'
import { runSlashCommand } from './slash-command.ts'
import { EXIT_WAITING } from '../follow-to-end.ts'

/** Chats without a terminal, or on one that cannot move its cursor: each line is a message. Resolves to the exit code. */
export async function chatByLines(conversation: Chat, call: CommandCall, io: Io): Promise<number> {
  let interrupts = 0
  let leftWith: number | undefined
  const reader = lineReader(io, {
    history: readHistory(call.home).filter((text) => !text.includes('\n')),
    onHistory: (history) => addToHistory(call.home, history.at(-1)!),
    onInterrupt: interrupted,
  })
  const stop = onInterrupt(io, interrupted)
  const { connection } = conversation
  const watch = isInteractive(io)
    ? personWatch(connection, io, questionerOver(reader))
    : unattendedWatch(connection, io)
  let failed = false

  function interrupted(signal?: NodeJS.Signals): void {
    // A signal that ends the process takes effect as soon as nothing is left to be paid for again.
    leftWith = signalExitCode(signal)
    if (leftWith !== undefined) return void connection.close().finally(() => exitNow(io, leftWith!))
    interrupts += 1
    if (interrupts > 1) {
      note(io, '')
      return exitNow(io, 130)
    }
    if (conversation.running !== undefined) return void conversation.cancel().catch(() => {})
    note(io, '\nPress Ctrl-C again to leave.')
    reader.again()
  }

  try {
    if (io.stdin.isTTY === true) {
      const model = await conversation.model()
      print(io, `${model}. List the commands with /help. Leave with Ctrl-D.`, 'dim')
    }
    for (;;) {
      let message = await reader.next('> ')
      if (leftWith !== undefined) return leftWith
      while (message?.endsWith('\\')) {
        const more = await reader.next('… ')
        message = `${message.slice(0, -1)}\n${more ?? ''}`
      }
      const line = message
      if (line === undefined || EXIT_COMMANDS.has(line.trim())) return failed && io.stdin.isTTY !== true ? 1 : 0
      interrupts = 0
      if (line.trim() === '') continue
      const result = await runSlashCommand(line, conversation, io)
      const came = result.type === 'message' ? await sendMessage(conversation, result.text, watch, io) : result.type
      if (came === 'waiting') return EXIT_WAITING
      failed ||= came === 'failed' || came === 'unsent'
      interrupts = 0
    }
  } finally {
    stop()
    reader.close()
  }
}

export const EXIT_COMMANDS: ReadonlySet<string> = new Set(['/quit', '/exit'])
