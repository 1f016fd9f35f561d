# bash --norc complete-bash.sh WORD…: what svc.bash offers for the last word, one a line. Readline breaks
# words at blanks and at `=`.
source ./svc.bash
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_svc svc
# What `complete -o default` does then.
if [ ${#COMPREPLY[@]} -eq 0 ] && [ -n "${COMP_WORDS[COMP_CWORD]}" ]; then
  compgen -f -- "${COMP_WORDS[COMP_CWORD]}"
fi
printf '%s\n' "${COMPREPLY[@]}"
