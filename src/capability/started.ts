import { errorMessage, ForewordError } from '../platform.ts'
import type { AnyCapability, Self } from './capability.ts'
import { isPlugin } from './plugin.ts'

/** A started capability, with the value that its members receive. */
export interface Started {
  readonly value: AnyCapability
  readonly self: Self<unknown, unknown>
}

/** Runs `work` of a capability. What it fails with names the capability and `what` failed. */
export async function runGuarded<Result>(
  each: Started,
  what: string,
  work: (each: Started) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work(each)
  } catch (error) {
    throw capabilityError(each.value, what, error)
  }
}

/** Stops capabilities in reverse. Every one is stopped, even if another one fails. Returns the failures. */
export async function stopAll(started: readonly Started[]): Promise<readonly Error[]> {
  const faults: Error[] = []
  for (const { value, self } of started.toReversed()) {
    try {
      await value.stop?.(self)
    } catch (error) {
      faults.push(capabilityError(value, 'did not stop', error))
    }
  }
  return faults
}

/**
 * An error of a capability by its name, such as `The capability tide did not start: there is no harbour`. What may be shown to a
 * caller keeps its code and its hint.
 */
export function capabilityError(
  value: AnyCapability,
  what: string,
  error: unknown,
  others: readonly Error[] = [],
): Error {
  const why = [errorMessage(error), ...others.map(({ message }) => message)]
  const message = `The ${isPlugin(value) ? 'plugin' : 'capability'} ${value.name} ${what}: ${why.join('; ')}`
  return error instanceof ForewordError && error.expose
    ? new ForewordError(error.code, message, error.facts, { hint: error.hint, cause: error })
    : new Error(message, { cause: error })
}
