import { argvText, exactLine, exactLines, lookAlikes } from '../../context.ts'
import type { ApprovalQuestion } from '../../session.ts'
import type { TelegramButtons } from './api/sender.ts'
import { joined, shortened, styled } from './shown-text.ts'
import { type FormattedText, plainText } from './text/formatted-text.ts'

/** A call that waits, as its chat is asked about it. */
export interface ShownApproval {
  readonly text: FormattedText
  /** Something did not fit: what nobody can see whole is not allowed from here. */
  readonly shortened: boolean
}

/** Characters of what would run that one message can show besides its other words. */
const MOST = 3_000

/** Shows exactly what would run. `closing` says who may answer, or what was decided. */
export function approvalText(
  approval: string,
  { request, digest }: { readonly request: ApprovalQuestion; readonly digest: string },
  closing: string,
): ShownApproval {
  const whole = callText(request)
  const isCut = whole.length > MOST
  const shown = isCut ? whole.slice(0, MOST).toWellFormed() : whole
  const notice = isCut
    ? `Only ${shown.length} of ${whole.length} characters are shown. Whoever wants to allow it reads all of it with ` +
      `\`foreword approve ${approval}\`.`
    : ''
  const text = joined(
    [
      joined([plainText('A call waits for a decision:'), styled(exactLine(request.tool).slice(0, 100), 'bold')], ' '),
      styled(shown, 'pre'),
      plainText(notice),
      plainText(alikeText(request)),
      joined([plainText('Digest'), styled(digest.slice(0, DIGEST_SHOWN), 'code')], ' '),
      plainText(closing),
    ],
    '\n',
  )
  return { text, shortened: isCut }
}

/** Signs of a digest that people compare. */
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

/** A warning of letters that pretend to be others. */
function alikeText({ argv = [], command = '', folder = '' }: ApprovalQuestion): string {
  const alike = lookAlikes([...argv, command, folder].join(' '))
  return alike.length === 0 ? '' : `These are not the letters they resemble: ${shortened(alike.join(', '), 200)}`
}

/** What a person says with a button. */
export type ButtonDecision = 'once' | 'session' | 'deny'

/** A button, read back: which call it is about, and what it says. */
export interface PressedButton {
  readonly approval: string
  /** Beginning of the digest of what was shown. */
  readonly digest: string
  readonly decision: ButtonDecision
}

/** What was cut can only be denied. */
export function approvalButtons(approval: string, digest: string, isCut: boolean): TelegramButtons {
  const button = (text: string, decision: ButtonDecision) => ({
    text,
    data: `${decision}.${digest.slice(0, DIGEST_SHOWN)}.${approval}`,
  })
  const allowing = [button('Allow once', 'once'), button('Allow in this session', 'session')]
  return [...(isCut ? [] : [allowing]), [button('Deny', 'deny')]]
}

export function pressedButton(data: string): PressedButton | undefined {
  const found = /^(once|session|deny)\.([0-9a-f]{12})\.([\w-]{1,40})$/.exec(data)
  if (!found) return undefined
  return { decision: found[1] as ButtonDecision, digest: found[2]!, approval: found[3]! }
}
