import type { NamedToken } from '../runtime.ts'
import { HttpFailure } from './failure.ts'

/** `facts`: where people can sign in without one. */
export function unauthorized(message: string, facts: { readonly signIn?: string } = {}): HttpFailure {
  const other = facts.signIn === undefined ? '' : ` Or open ${facts.signIn} in a browser.`
  return new HttpFailure('unauthorized', message, facts, {
    hint: `Send it as "Authorization: Bearer TOKEN", or open the address that the gateway printed at its start.${other}`,
    headers: { 'www-authenticate': 'Bearer realm="foreword"' },
  })
}

export function expired({ name, scope, expires }: NamedToken): HttpFailure {
  return new HttpFailure(
    'unauthorized',
    `The token ${name} has expired (${expires}).`,
    { token: name },
    {
      hint: `\`foreword token revoke ${name}\`, then \`foreword token new ${name} --scope ${scope}\` makes a new one.`,
      headers: { 'www-authenticate': 'Bearer realm="foreword", error="invalid_token"' },
    },
  )
}

/** What was an invitation once is a token that nobody knows any more. */
export function uselessLink(): HttpFailure {
  const hint = 'An invitation works once, for seven days: ask the owner of the gateway for a new one.'
  const message = 'The token in this address is wrong, or the invitation was used already.'
  return new HttpFailure('unauthorized', message, {}, { hint })
}

export function unknownPerson(name: string): HttpFailure {
  const hint = 'The owner of the gateway adds people with `foreword people add`.'
  const shown = JSON.stringify(name.slice(0, 100))
  return new HttpFailure('unauthorized', `The proxy names ${shown}, who is not one of the people here.`, {}, { hint })
}

export function expiredInvitation(person: string): HttpFailure {
  const hint = `The owner of the gateway makes a new one with \`foreword people invite ${person}\`.`
  return new HttpFailure('unauthorized', 'This invitation has expired.', { person }, { hint })
}
