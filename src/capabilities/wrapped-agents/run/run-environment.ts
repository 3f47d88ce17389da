import type { RunPlan } from '../program/wrapped-program.ts'
import { RUN_VARIABLE } from './background-processes.ts'

/** Hosts of this machine, which no proxy stands before. */
const LOCAL = ['127.0.0.1', 'localhost', '::1']

/** Variables that are set for every program: calls to this machine use no proxy. */
export function commonVariables(
  environment: Readonly<Record<string, string | undefined>>,
  run: string,
): Readonly<Record<string, string>> {
  const given = environment['NO_PROXY'] ?? environment['no_proxy'] ?? ''
  const hosts = given
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '')
  const all = [...new Set([...hosts, ...LOCAL])].join(',')
  return { NO_PROXY: all, no_proxy: all, [RUN_VARIABLE]: run }
}

export function runEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  variables: RunPlan['variables'],
): Readonly<Record<string, string | undefined>> {
  const all = { ...environment, ...variables }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}
