import type { Language } from './languages.ts'

/** What a word that says how something is called is looked for as besides: every other such word of its language. */
export function namingStems(word: string, { name, stem }: Language): readonly string[] {
  const words = naming[name] ?? []
  return words.includes(word) ? words.map(stem) : []
}

/**
 * How a thing is called is asked for in other words than it was said in, more often than anything else: "What is my boat
 * called?" finds "it is named Ariel". Forms that mostly mean something else, such as "call", are left out.
 */
const naming: Readonly<Record<string, readonly string[]>> = {
  english: ['called', 'named', 'name', 'names'],
  german: ['heißt', 'heißen', 'hieß', 'heisst', 'genannt', 'nennt', 'nenne', 'nennen', 'nannte', 'name', 'namen'],
  french: ['appelle', 'appelles', 'appelait', 'appelé', 'appelée', 'nommé', 'nommée', 'nom', 'noms'],
  spanish: ['llama', 'llaman', 'llamaba', 'llamado', 'llamada', 'nombre', 'nombres'],
  italian: ['chiama', 'chiamano', 'chiamava', 'chiamato', 'chiamata', 'nome', 'nomi'],
  portuguese: ['chama', 'chamam', 'chamava', 'chamado', 'chamada', 'nome', 'nomes'],
  dutch: ['heet', 'heten', 'heette', 'genoemd', 'naam', 'namen'],
}
