import { signal } from '@preact/signals';

const query = matchMedia('(min-width: 1000px)');

/** There is room for a list beside what is chosen in it. */
export const isWide = signal(query.matches);
query.addEventListener('change', ({ matches }) => (isWide.value = matches));
