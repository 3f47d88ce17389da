import { StoreError } from '../store-error.ts'

/** What is wrong, by the code of PostgreSQL or of the system, and what to do. */
const FAULTS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ECONNREFUSED: ['nothing accepts connections there', 'Start PostgreSQL, or correct host and port of `store`.'],
  ENOENT: ['there is no such socket', 'Start PostgreSQL, or correct the folder of its socket in `store`.'],
  ENOTFOUND: ['its host is not known', 'Correct the host of `store`.'],
  EAI_AGAIN: ['its host cannot be looked up now', 'Check the network, or correct the host of `store`.'],
  ETIMEDOUT: ['its host does not answer', 'Check host and port of `store`, and what is between them and this machine.'],
  EHOSTUNREACH: ['its host cannot be reached', 'Check host and port of `store`, and the network.'],
  '28P01': ['the user or the password is wrong', 'Correct the user of `store`, or the password that it names.'],
  '28000': [
    'this user is not let in from here',
    'Allow it in pg_hba.conf of the server, or correct the user of `store`.',
  ],
  '3D000': ['there is no such database', 'Make it with `createdb NAME`, or correct the name at the end of `store`.'],
  '42501': [
    'this user lacks a right',
    'Run `grant create, connect on database NAME to USER` as the owner of the database.',
  ],
  '53300': ['it has no connection left', 'Raise max_connections of the server. A gateway needs six.'],
  '57P03': ['it is starting or stopping', 'Try again in some seconds.'],
}

/** Why there is no connection, with what to do. Names the address, never the password. */
export function connectError(error: unknown, place: string): StoreError {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string }
  const [what, hint] = textFault(message) ?? FAULTS[code] ?? [message.trim() || code, HINT]
  return new StoreError('io', `Cannot use the database ${place}: ${what}.`, { hint, cause: error })
}

const HINT = 'See what `foreword doctor` finds.'
const TLS_HINT =
  'Set `"store": {"address": …, "tls": "verified"}`; "encrypted" where its certificate cannot be verified.'

/** What has no code, or one that says too little. */
function textFault(message: string): readonly [what: string, hint: string] | undefined {
  if (/no (?:pg_hba\.conf entry .*no encryption|encryption)/.test(message)) return ['it requires TLS', TLS_HINT]
  if (message.includes('does not support SSL'))
    return ['it has no TLS', 'Turn TLS on in the server, or set "tls": "off" where the network is yours.']
  if (/password must be a (?:non-empty )?string|password.*must be/.test(message))
    return [
      'it asks for a password',
      'Set FOREWORD_STORE_PASSWORD, or name "passwordEnv" or "passwordFile" of `store`.',
    ]
  if (/certificate|self-signed|altnames/i.test(message))
    return [
      `its certificate is not valid here (${message.trim()})`,
      'Name the authority with "authoritiesFile" of `store`, or set "tls": "encrypted".',
    ]
  if (/timeout expired|terminated due to connection timeout/.test(message)) return FAULTS['ETIMEDOUT']
  return undefined
}
