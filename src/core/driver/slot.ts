/**
 * What may be handed over at an event.
 * `boundary`, around tool calls: everything. `words`, there too: text alone, because the CLI can end no turn there. `denial`: text with a
 * denial, for a halt or a pause. `halt`: the same, but without ending the turn. `turn`: a prompt begins a turn. `end`: the agent would
 * stop. `never`: everything else.
 * The start of a session is `never` too: text in the context there waits unseen for a prompt, and the message would count as delivered.
 */
export type Slot = 'boundary' | 'words' | 'denial' | 'halt' | 'turn' | 'end' | 'never';
