import type { WaitingApproval } from '../../capability.ts'
import { argvText, exactLine, exactLines, foreignTextSentence, lookAlikes } from '../../context.ts'
import type { ApprovalQuestion } from '../../session.ts'
import type { TelegramButtons } from './api/telegram-sender.ts'
import { type FormattedText, joinFormatted, plainText, shorten, styledText } from './text/formatted-text.ts'

interface ShownApproval {
  readonly text: FormattedText
  /** Not all of the call fits. Then it can only be denied in the chat. */
  readonly shortened: boolean
}

/** The most of a call that one message shows, characters. */
const MOST_CALL_CHARS = 3_000

/** The most of the sentence about what was read before, characters. */
const MOST_READ_CHARS = 700

export function approvalText(
  approval: string,
  { request, digest, read = [], held }: Pick<WaitingApproval, 'request' | 'digest' | 'read' | 'held'>,
  closing: string,
): ShownApproval {
  if (held) return { text: heldText(held, closing), shortened: false }
  const whole = callText(request)
  const isCut = whole.length > MOST_CALL_CHARS
  const shown = isCut ? whole.slice(0, MOST_CALL_CHARS).toWellFormed() : whole
  const notice = isCut
    ? `Only ${shown.length} of ${whole.length} characters are shown. To read and allow the whole call, run ` +
      `\`foreword approve ${approval}\`.`
    : ''
  const text = joinFormatted(
    [
      joinFormatted(
        [plainText('A tool call needs approval:'), styledText(exactLine(request.tool).slice(0, 100), 'bold')],
        ' ',
      ),
      styledText(shown, 'pre'),
      plainText(notice),
      plainText(alikeText(request)),
      plainText(read.length === 0 ? '' : shorten(foreignTextSentence(read), MOST_READ_CHARS)),
      joinFormatted([plainText('Digest'), styledText(digest.slice(0, DIGEST_SHOWN), 'code')], ' '),
      plainText(closing),
    ],
    '\n',
  )
  return { text, shortened: isCut }
}

function heldText({ sentence, raise }: NonNullable<WaitingApproval['held']>, closing: string): FormattedText {
  const lines = ['A call to a model needs approval:', sentence, `For the session: ${raise}`, closing]
  return joinFormatted(lines.map(plainText), '\n')
}

/** Characters of a digest in a message and in a button. */
const DIGEST_SHOWN = 12

function callText({ input, argv, command, folder, diff, facts = {} }: ApprovalQuestion): string {
  const lines: string[] = []
  if (argv !== undefined) lines.push(argvText(argv))
  if (command !== undefined) lines.push(exactLines(command))
  if (argv === undefined && command === undefined) lines.push(exactLines(JSON.stringify(input, undefined, 2) ?? ''))
  if (folder !== undefined) lines.push(`in ${exactLine(folder)}`)
  for (const [name, fact] of Object.entries(facts)) {
    lines.push(exactLine(`${name}: ${typeof fact === 'string' ? fact : JSON.stringify(fact)}`))
  }
  if (diff !== undefined) lines.push(exactLines(diff))
  return lines.join('\n')
}

/** A warning about letters that look like others. */
function alikeText({ argv = [], command = '', folder = '' }: ApprovalQuestion): string {
  const alike = lookAlikes([...argv, command, folder].join(' '))
  return alike.length === 0 ? '' : `Warning: these letters only look like others: ${shorten(alike.join(', '), 200)}`
}

export type ButtonDecision = 'once' | 'session' | 'deny'

interface PressedButton {
  readonly approval: string
  /** First characters of the digest of the shown call. */
  readonly digest: string
  readonly decision: ButtonDecision
}

/** A call that is not shown whole can only be denied. */
export function approvalButtons(approval: string, digest: string, isCut: boolean): TelegramButtons {
  const button = (text: string, decision: ButtonDecision) => ({
    text,
    data: `${decision}.${digest.slice(0, DIGEST_SHOWN)}.${approval}`,
  })
  const allowing = [button('Allow once', 'once'), button('Allow in this session', 'session')]
  return [...(isCut ? [] : [allowing]), [button('Deny', 'deny')]]
}

export function parseButton(data: string): PressedButton | undefined {
  const found = /^(once|session|deny)\.([0-9a-f]{12})\.([\w-]{1,40})$/.exec(data)
  if (!found) return undefined
  return { decision: found[1] as ButtonDecision, digest: found[2]!, approval: found[3]! }
}
