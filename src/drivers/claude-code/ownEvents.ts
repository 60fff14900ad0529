/** The event of Nancy's own conversation: a question of the CLI was answered. */
export const ANSWERED = 'NancyAnswered';
