# zsh -f complete-zsh.zsh FOLDER-OF-COMPLETIONS LINE: prints what zsh offers at the end of LINE, one a
# line. Completion needs an interactive shell, so one is run on a terminal of its own.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "
PROMPT= ; unset zle_bracketed_paste; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D
# What would be offered is printed instead.
compadd () {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \"\$@\"; return; fi
  typeset -a __hits; builtin compadd -A __hits \"\$@\"; print -l -- OFFERED\${^__hits}
}
show () { print BEGIN; \$compprefuncs; _main_complete; print END; exit }
zle -C show complete-word _generic; zle -C show complete-word show; bindkey '^I' show
print READY
"
local line offered=()
while zpty -r shell line; do [[ $line == *READY* && $line != *print* ]] && break; done
zpty -w -n shell "$2"$'\t'
while zpty -r shell line; do
  line=${line%$'\r\n'}
  [[ $line == OFFERED* ]] && offered+=(${line#OFFERED})
  [[ $line == END* ]] && break
done
print -l -- ${(u)offered}
zpty -d shell
