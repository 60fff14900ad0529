/**
 * What a message may be handed over at (design §4.3). Around tool calls, by what the CLI takes there: `boundary`: anything. `words`:
 * words alone, for it can end no turn there. `denial`: words with a denial, for what halts or pauses. `halt`: the same, but it can
 * end no turn. `turn`: when a prompt begins one. `end`: when the agent would stop. `never`: everything else; at the start of a
 * session, too, nobody reads: what is put into the context there waits unseen for a prompt, and the message would count as delivered.
 */
export type Slot = 'boundary' | 'words' | 'denial' | 'halt' | 'turn' | 'end' | 'never';
