import { copyFile, mkdir, readdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type AnyCapability, RuntimeError } from '../../capability.ts'
import { errorMessage } from '../../platform.ts'
import { claimHome } from '../../session.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { loadConfiguration } from '../configuration/load.ts'
import { ConfigurationError } from '../configuration/problem.ts'
import type { Environment } from '../configuration/value.ts'
import type { HostedRuntime } from '../create-runtime.ts'
import { createHome, createWorkspace, homeAt } from '../home/home.ts'
import { openRuntime } from '../open-runtime.ts'
import { isThere, type People, peopleFolder, personHome, personNotFound } from '../tokens/people.ts'
import { personCapabilities, personConfiguration } from './person-configuration.ts'
import { personPolicy } from './person-policy.ts'

/** The homes of the people of a gateway: each has a runtime over a store, files and a workspace of its own. */
export type PeopleHomes = ReturnType<typeof openPeopleHomes>

interface PeopleHomesOptions {
  /** The home of the gateway, and its runtime. */
  readonly home: string
  readonly runtime: Pick<HostedRuntime, 'store' | 'shared'>
  readonly people: People
  /** Of the home of the gateway, as it was opened. */
  readonly configuration: Configuration
  /** Those of the program, and those that the configuration names. */
  readonly capabilities: readonly AnyCapability[]
  readonly environment: Environment
  readonly version: string
  readonly warn: (text: string) => void
}

/** Opens nothing yet: the home of a person is opened when something is asked of it, or with `openAll`. */
export function openPeopleHomes(options: PeopleHomesOptions) {
  const { home, people, environment, capabilities, warn } = options
  const { store, shared } = options.runtime
  const { clock } = store
  const opened = new Map<string, Promise<OpenHome>>()
  let isClosing = false

  async function open(name: string): Promise<OpenHome> {
    const folder = personHome(home, name)
    const own = personCapabilities(capabilities)
    const configuration = personConfiguration(options.configuration, capabilities, { name, home: folder })
    await createHome(homeAt(folder))
    const claim = await claimHome(folder, { pid: process.pid, started: clock.time() }, { environment })
    try {
      const fault = await createWorkspace(configuration.agent.workspace)
      const tell = (text: string) => warn(`${name}: ${text}`)
      for (const text of [fault, claim.warning]) if (text !== undefined) tell(text)
      const runtime = await openRuntime({
        home: folder,
        capabilities: own,
        configuration,
        environment,
        version: options.version,
        clock,
        listens: true,
        warn: tell,
        within: {
          home,
          live: shared.live,
          policy: personPolicy(shared.policy),
          async configuration() {
            const { configuration: now, problems } = await loadConfiguration({ home, environment, capabilities })
            if (problems.length > 0) throw new ConfigurationError(problems)
            return personConfiguration(now, capabilities, { name, home: folder })
          },
        },
      })
      return { runtime, release: claim.release }
    } catch (error) {
      claim.release()
      throw error
    }
  }

  /** One that could not be opened is tried again at the next question. */
  function opening(name: string): Promise<OpenHome> {
    if (isClosing)
      throw new RuntimeError('closing', 'The gateway is stopping and accepts no more input. Start it again.')
    const before = opened.get(name)
    if (before) return before
    const next = open(name)
    opened.set(name, next)
    next.catch(() => opened.delete(name))
    return next
  }

  async function close(name: string): Promise<void> {
    const found = await opened.get(name)?.catch(() => undefined)
    if (found === undefined) return
    opened.delete(name)
    try {
      await found.runtime.close()
    } finally {
      found.release()
    }
  }

  return {
    /** Who they are. */
    people,
    /** The runtime of a person. Rejects with RuntimeError `not-found` for nobody, and with what keeps their home from being opened. */
    async runtimeOf(name: string): Promise<HostedRuntime> {
      const person = people.find(name)
      if (!isThere(person)) throw personNotFound(name)
      return (await opening(name)).runtime
    },
    /** Makes the home of a new person, with the prompt of the owner. Rejects with RuntimeError `exists` where there is one already. */
    async make(name: string): Promise<void> {
      const folder = personHome(home, name)
      await mkdir(peopleFolder(home), { recursive: true, mode: 0o700 })
      const left = await readdir(folder).catch(() => [])
      if (left.length > 0) {
        const hint = `Move ${folder} away: it holds what belonged to somebody of this name.`
        throw new RuntimeError('exists', `There is a home of ${name} already.`, { person: name }, { hint })
      }
      const own = homeAt(folder)
      await createHome(own)
      const owners = homeAt(home)
      for (const file of ['systemPromptFile', 'soulFile'] as const) {
        await mkdir(dirname(own[file]), { recursive: true, mode: 0o700 })
        await copyFile(owners[file], own[file]).catch((error: unknown) => {
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        })
      }
    },
    /** Opens all of them, so that what a former process left unfinished goes on. Never rejects: what fails is a warning. */
    async openAll(): Promise<void> {
      for (const { name, leaving } of people.list()) {
        if (isClosing) return
        try {
          if (leaving) await remove(name)
          else await opening(name)
        } catch (error) {
          warn(`The home of ${name} could not be opened: ${errorMessage(error)}`)
        }
      }
    },
    remove,
    /** Reads prompts and plugins of all that are open again. Resolves with their warnings. */
    async reload(): Promise<readonly string[]> {
      const homes = [...opened].map(async ([name, each]) => {
        const { warnings } = await (await each).runtime.reload()
        return warnings.map((text) => `${name}: ${text}`)
      })
      return (await Promise.all(homes)).flat()
    },
    async close(): Promise<void> {
      isClosing = true
      await Promise.all([...opened.keys()].map(close))
    },
  }

  /** Ends the home of a person and removes it with everything in it. The person has to be leaving. */
  async function remove(name: string): Promise<void> {
    await close(name)
    await rm(personHome(home, name), { recursive: true, force: true })
    await people.forget(name)
  }
}

interface OpenHome {
  readonly runtime: HostedRuntime
  readonly release: () => void
}
